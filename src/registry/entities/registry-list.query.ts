import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { ListQuery, MAX_PAGE_SIZE } from '../../core/listing/list-query.js';
import { type EntryStatus, parseStatusFilter, STATUS_INPUTS } from './entry-status.js';
import { WordParameter } from '../../core/listing/words.js';

const ONCE = { message: 'must be given once' };

/** The parameters of registry lists besides `page, pagesize, search, order, cursor`; `pagesize` may be `all`. */
export class RegistryListQuery extends ListQuery {
  @ApiPropertyOptional({
    oneOf: [
      { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE },
      { type: 'string', enum: ['all'] },
    ],
    default: 25,
    description: 'Records per page; `all` streams everything.',
  })
  @IsOptional()
  override pagesize?: string = undefined;

  @ApiPropertyOptional({ enum: ['asc', 'desc'], description: 'Direction of `order`.' })
  @IsOptional()
  @IsString(ONCE)
  sort?: string;

  @ApiPropertyOptional({ description: 'Only this version of models.' })
  @IsOptional()
  @IsString(ONCE)
  version?: string;

  @ApiPropertyOptional({
    example: 'true',
    description: 'true: only annotations; false: no annotations; any other value, and by default: all.',
  })
  @IsOptional()
  @IsString(ONCE)
  annotations?: string;

  @ApiPropertyOptional({
    enum: [...STATUS_INPUTS, 'all'],
    description: 'Default: enabled; ignored means disabled.',
  })
  @IsOptional()
  @IsString(ONCE)
  status?: string;

  @ApiPropertyOptional({ description: 'Only of this registrant (its id, kind or host name).' })
  @IsOptional()
  @IsString(ONCE)
  registrant?: string;

  @WordParameter(['true', 'false'], 'true leaves schemas out.')
  trim?: string;
}

/** The filters in the path of a list. */
export interface RegistryScope {
  /** Name or slug. */
  category?: string;
  model?: string;
  kind?: string;
}

/** Routes that name a model or a component also return disabled ones. */
export const statusFilterOf = (query: RegistryListQuery, { model, kind }: RegistryScope): EntryStatus | null =>
  parseStatusFilter(query.status, model === undefined && kind === undefined ? 'enabled' : null);

/**
 * `order` and `sort` combined.
 * @throws InvalidRequest when they contradict each other
 */
export function parseOrder({ order, sort }: RegistryListQuery): string | undefined {
  if (!sort) return order;
  const direction = sort.toLowerCase();
  if (direction !== 'asc' && direction !== 'desc') throw InvalidRequest.forField('sort', 'must be asc or desc');
  const [column = 'name', own, ...rest] = order?.trim() ? order.trim().split(/\s+/) : [];
  if (own && own.toLowerCase() !== direction)
    throw InvalidRequest.forField('sort', `contradicts the order ${order}`, 'Send the direction in one of the two.');
  return [column, direction, ...rest].join(' ');
}

/** Filters by `annotations`: `true` and `false` select, anything else does not filter. */
export function filterByAnnotation<E extends ObjectLiteral>(
  rows: SelectQueryBuilder<E>,
  alias: string,
  { annotations }: RegistryListQuery,
): void {
  if (annotations === 'true') rows.andWhere(`${alias}.is_annotation`);
  if (annotations === 'false') rows.andWhere(`NOT ${alias}.is_annotation`);
}
