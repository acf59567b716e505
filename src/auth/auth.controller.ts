import { Body, Controller, HttpCode, Ip, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Public } from '../core/access/access.decorators.js';
import { NoStore } from '../core/rest/no-store.decorator.js';
import { RefreshRequest, SignIn } from './auth.inputs.js';
import { AuthService } from './auth.service.js';
import { TokensView } from './auth.view.js';

@ApiTags('auth')
@NoStore()
@Controller('api/auth')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Public()
  @Post('login')
  @HttpCode(200)
  @ApiOkResponse({ type: TokensView })
  login(@Body() input: SignIn, @Ip() address: string): Promise<TokensView> {
    return this.auth.login(input, address);
  }

  @Public()
  @Post('refresh')
  @HttpCode(200)
  @ApiOkResponse({ type: TokensView })
  refresh(@Body() { refresh_token }: RefreshRequest): Promise<TokensView> {
    return this.auth.refresh(refresh_token);
  }

  @Post('logout')
  @HttpCode(200)
  async logout(@Body() { refresh_token }: RefreshRequest): Promise<object> {
    await this.auth.logout(refresh_token);
    return {};
  }
}
