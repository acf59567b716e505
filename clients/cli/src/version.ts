declare const ARMATURE_VERSION: string;

/** That of the server with which it was built. */
export const VERSION = ARMATURE_VERSION;
