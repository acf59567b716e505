import { SetMetadata } from '@nestjs/common';

export const IGNORES_BODY = 'armature:ignores-body';

/** Marks a route that reads nothing of a body, whatever its media type: some senders must send one (RFC 8058). */
export const IgnoresBody = () => SetMetadata(IGNORES_BODY, true);
