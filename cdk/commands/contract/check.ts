import { readFileSync } from 'node:fs';
import { allOperations } from '../../../lib/operations/index.ts';
import { breakingChanges, releasedFile, renamedOperations } from '../../openapi/breaking-changes.ts';
import { buildDocument } from '../../openapi/document.ts';

const released = JSON.parse(readFileSync(releasedFile, 'utf8'));
const renamed = renamedOperations(released, allOperations);
const today = new Date().toISOString().slice(0, 10);
const changes = renamed.length > 0 ? renamed : breakingChanges(released, buildDocument(), today);
if (changes.length > 0) {
  console.error(`These changes break callers of version ${released.info.version}:\n  ${changes.join('\n  ')}`);
  process.exit(1);
}
console.log('Nothing breaks the callers of the released document.');
