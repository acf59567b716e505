/**
 * How plain YAML scalars get their type. `kubernetes`: as kubectl reads them (`yes`, `on` are booleans, `0644` is octal).
 * `core`: as YAML 1.2 and Compose read them (`yes` is text, `0644` is the number 644 in decimal).
 */
export type Dialect = 'kubernetes' | 'core';
