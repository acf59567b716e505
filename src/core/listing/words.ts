import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, ValidateBy } from 'class-validator';
import { InvalidRequest } from '../errors/app-error.js';
import { QueryText } from './list-query.js';

/**
 * Parses the values of a parameter or condition; undefined when there are none.
 * @throws InvalidRequest naming values that are not allowed
 */
export function parseWords(at: string, value: unknown, allowed?: readonly string[]): string[] | undefined {
  const given: unknown[] = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  const words = given.flatMap((each) => (typeof each === 'string' ? splitWords(each) : [null]));
  if (words.includes(null)) throw InvalidRequest.forField(at, 'must be a word or a list of words');
  const named = words.filter((word): word is string => word !== null);
  if (allowed && named.some((word) => !allowed.includes(word)))
    throw InvalidRequest.forField(at, `must be one of ${allowed.join(', ')}`);
  return named.length > 0 ? named : undefined;
}

/** The values of a parameter that is a word, words with commas, or a JSON array of them. @throws InvalidRequest */
export function parseWordList(at: string, text: string | undefined, allowed?: readonly string[]): string[] | undefined {
  if (!text?.startsWith('[')) return parseWords(at, text, allowed);
  let words: unknown;
  try {
    words = JSON.parse(text);
  } catch {
    throw InvalidRequest.forField(at, 'must be a word, words with commas, or a JSON array of words');
  }
  return parseWords(at, words, allowed);
}

/** What a schema says of a parameter with some of these words, separated by commas. */
export const patternOfWords = (words: readonly string[]): string =>
  `^(?:(?:${words.join('|')})(?:,(?:${words.join('|')}))*)?$`;

/** A query parameter with an enumerated set of values. */
export const WordParameter = (words: readonly string[], description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ enum: words, description }),
    IsOptional(),
    IsIn(['', ...words], { message: `must be one of ${words.join(', ')}` }),
  );

/** A query parameter with a comma-separated list of content fields to include. */
export const PopulateParameter = (fields: readonly string[]): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      example: fields[0],
      pattern: patternOfWords(fields),
      description: `Fields of content to be filled in: some of ${fields.join(', ')}, with commas.`,
    }),
    QueryText('words'),
    ValidateBy({
      name: 'isPopulate',
      validator: {
        validate: (value) => typeof value !== 'string' || splitWords(value).every((word) => fields.includes(word)),
        defaultMessage: () => `must be some of ${fields.join(', ')}`,
      },
    }),
  );

export const splitWords = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
