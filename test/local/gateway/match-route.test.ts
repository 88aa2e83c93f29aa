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

it.each([
  ['PUT', '/pets', 'ANY /pets', {}],
  ['GET', '/pets/categories', 'GET /pets/categories', {}],
  ['DELETE', '/pets/categories', 'DELETE /pets/{petId}', { petId: 'categories' }],
  ['PATCH', '/pets/1', 'ANY /{proxy+}', { proxy: 'pets/1' }],
  ['GET', '/pets/1/2', 'ANY /{proxy+}', { proxy: 'pets/1/2' }],
  ['GET', '/', 'ANY /', {}],
  ['GET', '/toys', 'GET /{name}', { name: 'toys' }],
  ['GET', '///pets/%31', 'GET /pets/{petId}', { petId: '%31' }],
  ['GET', '/pets//b%20c', 'ANY /{proxy+}', { proxy: 'pets//b%20c' }],
  ['DELETE', '/pets//', 'ANY /{proxy+}', { proxy: 'pets/' }],
  ['TRACE', '/pets', undefined, undefined],
])('matchRoute routes %s %s to %s with the parameters %j', (method, path, expected, values) => {
  const { method: found, parameters } = matchRoute(api, method, path) ?? {};
  expect([found, parameters]).toEqual([expected, values]);
});
