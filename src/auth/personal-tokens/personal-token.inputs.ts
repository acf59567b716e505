import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsIn, IsISO8601, IsOptional } from 'class-validator';
import { type Scope, SCOPES } from '../../core/access/actor.js';
import { NameInput } from '../../core/schema/input-fields.js';

export class NewToken {
  @NameInput()
  name!: string;

  @ApiProperty({ type: String, isArray: true, enum: [...SCOPES] })
  @ArrayNotEmpty({ message: 'must name at least one scope' })
  @ArrayUnique({ message: 'must name a scope once' })
  @IsIn(SCOPES, { each: true, message: `must be some of ${SCOPES.join(', ')}` })
  scopes!: Scope[];

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Without it the token does not expire.',
  })
  @IsOptional()
  @IsISO8601({ strict: true, strictSeparator: true }, { message: 'must be a time in ISO 8601' })
  expires_at?: string | null;
}
