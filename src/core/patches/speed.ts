/**
 * Patches that only save time. `SPEED_PATCHES=off npm test` leaves them out, which shows that nothing else depends on
 * them; those whose absence would change a behaviour do not look here.
 */
export const speedPatches = { areApplied: true };
