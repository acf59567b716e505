import { bootWorld } from './boot.js';

it('boots the world of a test file', bootWorld);
