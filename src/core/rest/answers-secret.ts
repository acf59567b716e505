import { SetMetadata } from '@nestjs/common';

export const ANSWERS_SECRET = 'armature:answers-secret';

/** Marks a route whose answer carries a secret or speaks of one: nobody on its way keeps it. */
export const AnswersSecret = () => SetMetadata(ANSWERS_SECRET, true);
