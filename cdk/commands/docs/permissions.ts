import { type OperatorPermissions, operatorPermissions } from '../../config/operator-permissions.ts';
import { actionsByService } from '../shared/permissions-usage.ts';
import { markdownTable } from './markdown-table.ts';

const listed = (permissions: OperatorPermissions): string =>
  actionsByService(permissions)
    .map(actions => actions.map(action => `\`${action}\``).join(', '))
    .join('; ');

/** The permissions of each command. Commands with the same ones share a row. */
export const permissionsTable = (): string => {
  const rows = Map.groupBy(Object.entries<OperatorPermissions>(operatorPermissions), ([, needs]) => listed(needs));
  return markdownTable(
    ['Command', 'Needs'],
    ['---', '---'],
    [...rows].map(([needs, commands]) => [commands.map(([name]) => `\`${name}\``).join(', '), needs]),
  );
};
