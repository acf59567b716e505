import type { envVariables } from '../config/env.js';

/** A setting that an operator raises a limit with. */
export type LimitSetting = Extract<keyof typeof envVariables, `LIMIT_${string}`>;

/** What to do about a limit: what the caller can change, and the setting with which an operator allows more. */
export const limitRemedy = (advice: string, setting: LimitSetting): string =>
  `${advice} The operator raises this limit with ${setting}.`;
