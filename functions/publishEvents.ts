import { handleStream } from '../lib/events/handle-stream.ts';
import { tellChanges } from '../lib/events/tell-changes.ts';

export const handler = handleStream(records => tellChanges(records));
