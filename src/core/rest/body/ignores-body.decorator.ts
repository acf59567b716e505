import { SetMetadata } from '@nestjs/common';

export const IGNORES_BODY = 'armature:ignores-body';

/** Marks a route that ignores its body of any media type; some clients have to send one (RFC 8058). */
export const IgnoresBody = () => SetMetadata(IGNORES_BODY, true);
