export { Armature, type ArmatureOptions, type RequestOptions } from './armature.js';
export { ArmatureError, type ErrorCode } from './armature-error.js';
export type { CallOptions, CallSettings } from './call-options.js';
export type { ApiResponse } from './response.js';
export { type FileSource, toFile } from './to-file.js';
export type * from './generated/types.gen.js';
