import { SetMetadata } from '@nestjs/common';

export const IS_SAME_ORIGIN = 'armature:same-origin';

/** Allows a route that a cookie authenticates only to pages of this server. */
export const SameOrigin = () => SetMetadata(IS_SAME_ORIGIN, true);
