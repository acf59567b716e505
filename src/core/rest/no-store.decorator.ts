import { SetMetadata } from '@nestjs/common';

export const IS_NO_STORE = 'armature:answers-secret';

/** Marks a route whose answer carries a secret or speaks of one: nobody on its way keeps it. */
export const NoStore = () => SetMetadata(IS_NO_STORE, true);
