import type { ExecutionContext, Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { getMetadataStorage } from 'class-validator';
import type { Request, Response } from 'express';
import { findClosestName } from '../closest-name.js';
import { foldKey } from './unknown-fields.js';

/** The maximum number of parameters to name in one response. */
const MAX_NAMED = 10;
const MAX_NAME_LENGTH = 64;
/** Chooses the organization on every route. */
const ORGANIZATION = 'orgID';

const namesByHandler = new WeakMap<object, ReadonlyMap<string, string>>();

/**
 * Names the query parameters that a route does not know in the header `Warning` (RFC 7234, 5.5), with the nearest
 * one that it knows: they are ignored, because clients send parameters of their own.
 */
export function warnOfUnknownQuery(context: ExecutionContext, { url, query }: Request, response: Response): void {
  if (!url.includes('?')) return;
  const known = getQueryNames(context);
  const unknown = Object.keys(query).filter((key) => !known.has(foldKey(key)));
  if (unknown.length === 0) return;
  response.setHeader(
    'Warning',
    unknown.slice(0, MAX_NAMED).map((name) => `299 - "${toText(name, known.values())}"`),
  );
}

function toText(name: string, known: Iterable<string>): string {
  const close = findClosestName(name, known);
  // Encoded, the name is neither a quote nor outside of the characters of a header.
  const shown = encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed());
  return `the query parameter ${shown} is unknown and ignored${close === undefined ? '' : `; did you mean ${close}?`}`;
}

/** The query parameters of a handler by their folded names. */
function getQueryNames(context: ExecutionContext): ReadonlyMap<string, string> {
  const handler = context.getHandler();
  const kept = namesByHandler.get(handler);
  if (kept) return kept;
  const names = new Map(listQueryNames(context.getClass(), handler.name).map((name) => [foldKey(name), name]));
  for (const spelling of [ORGANIZATION, 'organization_id']) names.set(foldKey(spelling), ORGANIZATION);
  namesByHandler.set(handler, names);
  return names;
}

function listQueryNames(controller: Type, method: string): string[] {
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype as object, method) ?? []) as Type[];
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { index: number; data?: unknown }
  >;
  return Object.entries(parameters).flatMap(([key, { index, data }]) => {
    if (!key.startsWith(`${RouteParamtypes.QUERY}:`)) return [];
    if (typeof data === 'string') return [data];
    const input = types[index];
    if (!input) return [];
    const rules = getMetadataStorage().getTargetValidationMetadatas(input, '', false, false);
    return rules.map(({ propertyName }) => propertyName);
  });
}
