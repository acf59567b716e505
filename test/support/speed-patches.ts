import { speedPatches } from '../../src/core/patches/speed.js';

speedPatches.areApplied = process.env.SPEED_PATCHES !== 'off';
