import { randomUUID } from 'node:crypto';
import 'reflect-metadata';
import {
  Body,
  ClassSerializerInterceptor,
  Controller,
  Delete,
  ForbiddenException,
  Get,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseUUIDPipe,
  Post,
  Put,
  Query,
  Req,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JwtModule, JwtService } from '@nestjs/jwt';
import { AuthGuard, PassportModule, PassportStrategy } from '@nestjs/passport';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Exclude, Expose, Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { Column, Entity, ILike, IsNull, PrimaryColumn, Repository } from 'typeorm';
import { serve } from '../../support/server.js';

/**
 * The records of the product's database as NestJS's documentation builds such an application: entities of TypeORM, validated
 * inputs, class-transformer, passport-jwt, and the membership of the caller asked for at each call. No events and no audit of its
 * own, no policies, no ETag, and totals are counted.
 */
const SECRET = process.env['JWT_SECRET'] ?? '';

@Entity('app_user')
class User {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  email!: string;

  @Exclude()
  @Column('text', { name: 'password_hash' })
  passwordHash!: string | null;
}

@Entity('organization_member')
class Member {
  @Exclude()
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Exclude()
  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  @Column('integer')
  role!: number;
}

@Entity('environment')
class Environment {
  @PrimaryColumn('uuid')
  id!: string;

  @Expose({ name: 'organization_id' })
  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  description!: string;

  @Column('uuid')
  owner!: string;

  @Column('text', { default: 'active' })
  status!: string;

  @Column('text', { default: 'development' })
  tier!: string;

  @Column('jsonb', { default: {} })
  metadata!: Record<string, unknown>;

  @Expose({ name: 'created_at' })
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Expose({ name: 'updated_at' })
  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;

  @Exclude()
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}

class ListQuery {
  @IsUUID()
  orgID!: string;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  page = 0;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  pagesize = 20;

  @IsOptional()
  @IsString()
  search?: string;
}

class CreateEnvironment {
  @IsString()
  @MaxLength(255)
  name!: string;

  @IsUUID()
  organization_id!: string;
}

class ChangeEnvironment {
  @IsString()
  @MaxLength(2_000)
  description!: string;
}

interface AuthenticatedRequest {
  user: { id: string };
}

@Injectable()
class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(@InjectRepository(User) private readonly users: Repository<User>) {
    super({ jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: SECRET });
  }

  validate({ sub }: { sub: string }): Promise<User | null> {
    return this.users.findOneBy({ id: sub });
  }
}

@Controller()
@UseGuards(AuthGuard('jwt'))
@UseInterceptors(ClassSerializerInterceptor)
class EnvironmentsController {
  constructor(
    @InjectRepository(Environment) private readonly environments: Repository<Environment>,
    @InjectRepository(Member) private readonly members: Repository<Member>,
  ) {}

  @Get('environments')
  async list(
    @Query() { orgID, page, pagesize, search }: ListQuery,
    @Req() { user }: AuthenticatedRequest,
  ): Promise<object> {
    await this.assertMember(user.id, orgID);
    const [environments, total_count] = await this.environments.findAndCount({
      where: {
        organizationId: orgID,
        deletedAt: IsNull(),
        ...(search && { name: ILike(`%${search}%`) }),
      },
      order: { createdAt: 'DESC', id: 'DESC' },
      skip: page * pagesize,
      take: pagesize,
    });
    return { page, page_size: pagesize, total_count, environments };
  }

  @Get('environments/:id')
  async get(@Param('id', ParseUUIDPipe) id: string, @Req() { user }: AuthenticatedRequest): Promise<Environment> {
    const found = await this.environments.findOneBy({ id, deletedAt: IsNull() });
    if (!found) throw new NotFoundException();
    await this.assertMember(user.id, found.organizationId);
    return found;
  }

  @Post('environments')
  async create(
    @Body() { name, organization_id }: CreateEnvironment,
    @Req() { user }: AuthenticatedRequest,
  ): Promise<Environment> {
    await this.assertMember(user.id, organization_id);
    return this.environments.save(
      this.environments.create({ id: randomUUID(), name, organizationId: organization_id, owner: user.id }),
    );
  }

  @Put('environments/:id')
  async update(
    @Param('id', ParseUUIDPipe) id: string,
    @Body() { description }: ChangeEnvironment,
    @Req() request: AuthenticatedRequest,
  ): Promise<Environment> {
    const environment = await this.get(id, request);
    return this.environments.save(Object.assign(environment, { description, updatedAt: new Date() }));
  }

  @Delete('environments/:id')
  async delete(@Param('id', ParseUUIDPipe) id: string, @Req() request: AuthenticatedRequest): Promise<Environment> {
    const environment = await this.get(id, request);
    return this.environments.save(Object.assign(environment, { deletedAt: new Date() }));
  }

  private async assertMember(userId: string, organizationId: string): Promise<void> {
    const isMember = await this.members.existsBy({ userId, organizationId });
    if (!isMember) throw new ForbiddenException();
  }
}

const entities = [User, Member, Environment];

@Module({
  imports: [
    PassportModule,
    JwtModule.register({ secret: SECRET, signOptions: { expiresIn: '1h' } }),
    TypeOrmModule.forRoot({ type: 'postgres', url: process.env['DATABASE_URL'], entities, poolSize: 10 }),
    TypeOrmModule.forFeature(entities),
  ],
  controllers: [EnvironmentsController],
  providers: [JwtStrategy],
})
class UsualModule {}

const app = await NestFactory.create(UsualModule, { logger: false });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
await app.listen(0, '127.0.0.1');
serve(
  await app.getUrl(),
  () => app.close(),
  (userId) => app.get(JwtService).sign({ sub: userId }),
);
