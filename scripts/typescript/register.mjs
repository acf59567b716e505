// Lets Node load the sources: `node --import ./scripts/typescript/register.mjs src/main.ts`.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
