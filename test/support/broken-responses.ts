import type { ServerResponse } from 'node:http';

// Node closes the connection if nobody handles an upgrade: https://nodejs.org/api/http.html#event-upgrade
const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';

/** Those that end in the body have the status 200, all others have none. */
export const brokenResponses = {
  'an end before the response': to => to.destroy(),
  'headers beyond 16 KB': to => to.writeHead(200, { x: 'x'.repeat(17_000) }).end(),
  'another protocol': to => to.socket!.end('220 mail.example.com ESMTP\r\n\r\n'),
  'an upgrade': to => to.socket!.write(upgrade),
  'an end in the body': to =>
    to.writeHead(200, { 'Content-Length': 9 }).write('half', () => to.destroy()),
  'an end in the body, in a chunk': to => to.write('{"It', () => to.destroy()),
} satisfies Record<string, (to: ServerResponse) => unknown>;
