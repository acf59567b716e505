import type { envVariables } from '../config/env.js';

/** A setting that controls a limit. */
export type LimitSetting = Extract<keyof typeof envVariables, `LIMIT_${string}`>;

/** Composes the remedy of an exceeded limit: advice to the caller, and the setting that raises the limit. */
export const limitRemedy = (advice: string, setting: LimitSetting): string =>
  `${advice} The operator raises this limit with ${setting}.`;
