import { handleStream } from '../lib/events/handle-stream.ts';
import { publishChanges } from '../lib/events/publish-changes.ts';

export const handler = handleStream(records => publishChanges(records));
