import { buildProxyEvent } from '../../cdk/local/gateway/proxy-event.ts';
import { type OperationId, operations } from '../../lib/operations/index.ts';
import { resourceServer, scopes } from '../../lib/scopes.ts';
import { requestOf, type World } from './requests.ts';
import { type StoredNoun, storedNouns } from './resources.ts';

const scope = scopes.map(name => `${resourceServer}/${name}`).join(' ');
const claims = { sub: 'test', client_id: 'test', token_use: 'access', scope };
const anyIds = Object.fromEntries(storedNouns.map(noun => [`${noun}Id`, 1])) as Record<
  `${StoredNoun}Id`,
  number
>;
const anyWorld: World = { ...anyIds, categoryId: 2, categoryOfPets: 1, file: 'page.js' };

/** With all scopes. @param ids in path and body @param given another body */
export const eventOf = (id: OperationId, ids: Partial<World> = {}, given?: object): object => {
  const world = { ...anyWorld, ...ids };
  const { method, path, body = given } = requestOf(operations[id], world);
  const resource = operations[id].path;
  const names = Array.from(resource.matchAll(/{(\w+)}/g), ([, name]) => name as keyof World);
  const parameters = Object.fromEntries(names.map(name => [name, String(world[name])]));
  const sent = {
    method,
    path,
    query: '',
    host: 'api.example.com',
    sourceIp: '192.0.2.1',
    requestId: 'test',
  };
  const json = [['Content-Type', 'application/json']] as const;
  const content = body
    ? { headers: json, body: JSON.stringify(given ?? body) }
    : { headers: [], body: '' };
  return buildProxyEvent(
    { ...sent, ...content },
    { resource, parameters, stage: 'prod', apiId: 'test', claims },
  );
};
