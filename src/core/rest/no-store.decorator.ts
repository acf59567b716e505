import { SetMetadata } from '@nestjs/common';

export const IS_NO_STORE = 'armature:answers-secret';

/** Marks a route whose response contains or concerns a secret: it gets `Cache-Control: no-store`. */
export const NoStore = () => SetMetadata(IS_NO_STORE, true);
