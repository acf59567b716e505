import { ArgsType, Field, ID, Int } from '@nestjs/graphql';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { MAX_PAGE_SIZE, PageSize, QueryText } from '../../core/listing/list-query.js';

export class AttentionQuery {
  @ApiPropertyOptional({ name: 'orgID', format: 'uuid', description: 'Only of this organization.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  organization_id?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, default: 0, description: 'Page, counted from 0.' })
  @IsOptional()
  page?: string;

  @PageSize(MAX_PAGE_SIZE)
  pagesize?: string;

  @ApiPropertyOptional({ description: 'Empty for the first page, then the next_cursor of the last response.' })
  @QueryText('cursor')
  cursor?: string;
}

@ArgsType()
export class AttentionArgs {
  @Field(() => ID, { nullable: true, description: 'Only of this organization.' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  orgID?: string;

  @Field(() => Int, { nullable: true, description: 'The page, counted from 0.' })
  @IsOptional()
  page?: number;

  @Field(() => Int, { nullable: true, description: 'Records per page.' })
  @IsOptional()
  pagesize?: number;

  @Field(() => String, { nullable: true, description: 'Empty for the first page, then the next_cursor.' })
  @QueryText('cursor')
  cursor?: string;

  toQuery(): AttentionQuery {
    return Object.assign(new AttentionQuery(), {
      organization_id: this.orgID ?? undefined,
      page: this.page?.toString(),
      pagesize: this.pagesize?.toString(),
      cursor: this.cursor ?? undefined,
    });
  }
}
