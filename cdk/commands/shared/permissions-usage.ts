import { type OperatorPermissions, operatorPermissions } from '../../config/operator-permissions.ts';

/** The actions of each service: `dynamodb:DescribeTable`, `Scan`. */
export const actionsByService = (permissions: OperatorPermissions): string[][] =>
  [...Map.groupBy(Object.values(permissions).flat(), action => action.split(':')[0]!).values()].map(actions =>
    actions.map((action, index) => (index === 0 ? action : action.split(':')[1]!)),
  );

const width = 120;

/** The lines of --help that name the permissions of a command. */
export const permissionsUsage = (command: keyof typeof operatorPermissions): string => {
  const services = actionsByService(operatorPermissions[command]).map(actions => actions.join(', '));
  const lines: string[] = [];
  for (const word of `It needs ${services.join('; ')}.`.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
};
