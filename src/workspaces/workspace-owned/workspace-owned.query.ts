import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { OrganizationListQuery, PageSize } from '../../core/listing/list-query.js';
import { parseWords, patternOfWords } from '../../core/listing/words.js';
import { Repeatable } from '../../core/schema/repeatable.js';
import type { TimeScope } from './narrow-by-times.js';
import { VISIBILITIES, type Visibility } from './workspace-owned.entity.js';

/** The query of a list of records of workspaces. */
export class WorkspaceOwnedQuery extends OrganizationListQuery {
  @PageSize(10)
  override pagesize?: string = undefined;

  @ApiPropertyOptional({
    type: String,
    pattern: patternOfWords(VISIBILITIES),
    example: VISIBILITIES[0],
    description: `Some of ${VISIBILITIES.join(', ')}, with commas.`,
  })
  @IsOptional()
  @Repeatable()
  visibility?: string | string[];

  @ApiPropertyOptional({ format: 'uuid', description: 'Only records of this workspace.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  workspace_id?: string;

  /** Bounds of the creation time and of the time of the last change, from GraphQL's PageFilter. */
  from?: string;
  to?: string;
  updated_after?: string;
}

/** Filters of a list in addition to those of every list. */
export interface WorkspaceOwnedScope extends TimeScope {
  organizationId?: string;
  workspaceId?: string;
  visibility?: Visibility[];
}

/** @throws InvalidRequest naming the parameter that is wrong */
export function parseScope(query: WorkspaceOwnedQuery): WorkspaceOwnedScope {
  return {
    organizationId: query.organization_id,
    workspaceId: query.workspace_id,
    visibility: parseVisibilities(query.visibility),
    from: parseTime('from', query.from),
    to: parseTime('to', query.to),
    updatedAfter: parseTime('updated_after', query.updated_after),
  };
}

function parseVisibilities(given: string | string[] | undefined): Visibility[] | undefined {
  return parseWords('visibility', given, VISIBILITIES) as Visibility[] | undefined;
}

function parseTime(name: string, text: string | undefined): Date | undefined {
  if (!text) return undefined;
  const time = new Date(text);
  const year = time.getUTCFullYear();
  if (year >= 1 && year <= 9999) return time;
  throw InvalidRequest.forField(name, 'must be an ISO 8601 timestamp of the years 1 to 9999');
}
