import { expect, it } from 'vitest';
import { matchRoute } from '../../../cdk/local/gateway/match-route.ts';

const resource = (path: string, ...methods: string[]) => ({
  path,
  methods: new Map(methods.map(method => [method, `${method} ${path}`])),
});
const api = [
  resource('/{proxy+}', 'ANY'),
  resource('/pets', 'GET', 'ANY'),
  resource('/pets/{petId}', 'GET', 'DELETE'),
  resource('/pets/categories', 'GET'),
  resource('/', 'ANY'),
  resource('/{name}', 'GET'),
];
const found = (method: string, path: string) => matchRoute(api, method, path)?.method;

it.each([
  ['PUT', '/pets', 'ANY /pets'],
  ['GET', '/pets/categories', 'GET /pets/categories'],
  ['DELETE', '/pets/categories', 'DELETE /pets/{petId}'],
  ['PATCH', '/pets/1', 'ANY /{proxy+}'],
  ['GET', '/pets/1/2', 'ANY /{proxy+}'],
  ['GET', '/', 'ANY /'],
  ['GET', '/toys', 'GET /{name}'],
  ['GET', '///pets/1', 'GET /pets/{petId}'],
  ['GET', '/pets//1', 'ANY /{proxy+}'],
  ['DELETE', '/pets//', 'ANY /{proxy+}'],
  ['TRACE', '/pets', undefined],
])('matchRoute routes %s %s to %s', (method, path, expected) => {
  expect(found(method, path)).toBe(expected);
});

it('matchRoute returns percent-encoded parameters', () => {
  expect(matchRoute(api, 'GET', '/pets/%31')?.parameters).toEqual({ petId: '%31' });
  expect(matchRoute(api, 'GET', '/a/b%20c')?.parameters).toEqual({ proxy: 'a/b%20c' });
});
