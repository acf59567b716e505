import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID, Matches, MaxLength } from 'class-validator';
import { PURPOSES, type Purpose } from './required-rights.js';

const PURPOSE_LIST = new RegExp(`^(${PURPOSES.join('|')})(,(${PURPOSES.join('|')})){0,${PURPOSES.length - 1}}$`);
/** The name of one namespace. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const FOR = `must be one or several of ${PURPOSES.join(', ')}, separated by commas`;

/** The query of a permission review. */
export class RightsQuery {
  @ApiPropertyOptional({
    type: String,
    description: 'The purposes of the credential: `deploy`, `watch`, `operator`, or several separated by commas.',
    pattern: PURPOSE_LIST.source,
    example: 'deploy',
  })
  @IsOptional()
  @Matches(PURPOSE_LIST, { message: FOR })
  for?: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: 63,
    pattern: NAMESPACE.source,
    description: 'Limits the rights to this namespace; default: all namespaces.',
  })
  @IsOptional()
  @MaxLength(63, { message: 'must be the name of a namespace' })
  @Matches(NAMESPACE, { message: 'must be the name of a namespace' })
  namespace?: string;

  /** Parses the purposes without duplicates; `otherwise` when there are none. */
  static purposesOf(this: void, { for: given }: RightsQuery, otherwise: readonly Purpose[]): Purpose[] {
    const named = new Set(given?.split(',') ?? otherwise);
    return PURPOSES.filter((purpose) => named.has(purpose));
  }
}

const MAX_NAMESPACES = 50;
const NAME = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const NAMESPACE_LIST = new RegExp(`^${NAME}(,${NAME}){0,${MAX_NAMESPACES - 1}}$`);
const NAMESPACES = `must be the names of at most ${MAX_NAMESPACES} namespaces, separated by commas`;

/** The query of an access manifest. */
export class ManifestQuery extends RightsQuery {
  @ApiPropertyOptional({
    type: String,
    description:
      'Limits the rights to these namespaces, separated by commas, which exist on the cluster; default: all namespaces.',
    pattern: NAMESPACE_LIST.source,
    example: 'shop,shop-data',
  })
  @IsOptional()
  @MaxLength(64 * MAX_NAMESPACES, { message: NAMESPACES })
  @Matches(NAMESPACE_LIST, { message: NAMESPACES })
  namespaces?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description:
      'Limits the rights to deploy to the kinds that the designs of this workspace contain; default: the kinds that designs usually contain.',
  })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  workspace_id?: string;

  /** The namespaces without duplicates; undefined for all. */
  static namespacesOf(this: void, { namespace, namespaces }: ManifestQuery): string[] | undefined {
    const named = [...new Set([namespace, ...(namespaces?.split(',') ?? [])])].filter(Boolean) as string[];
    return named.length > 0 ? named : undefined;
  }
}
