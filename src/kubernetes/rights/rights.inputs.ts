import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches, MaxLength } from 'class-validator';
import { PURPOSES, type Purpose } from './required-rights.js';

const PURPOSE_LIST = new RegExp(`^(${PURPOSES.join('|')})(,(${PURPOSES.join('|')})){0,${PURPOSES.length - 1}}$`);
const FOR = `must be one or several of ${PURPOSES.join(', ')}, separated by commas`;

/** The query of a permission review. */
export class RightsQuery {
  @ApiPropertyOptional({
    type: String,
    description: 'The purposes of the credential: `deploy`, `watch`, `operator`, or several separated by commas.',
    example: 'deploy',
  })
  @IsOptional()
  @Matches(PURPOSE_LIST, { message: FOR })
  for?: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: 63,
    description: 'Limits the rights to this namespace; default: all namespaces.',
  })
  @IsOptional()
  @MaxLength(63, { message: 'must be the name of a namespace' })
  @Matches(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, { message: 'must be the name of a namespace' })
  namespace?: string;

  /** Parses the purposes without duplicates; `otherwise` when there are none. */
  static purposesOf(this: void, { for: given }: RightsQuery, otherwise: readonly Purpose[]): Purpose[] {
    const named = new Set(given?.split(',') ?? otherwise);
    return PURPOSES.filter((purpose) => named.has(purpose));
  }
}
