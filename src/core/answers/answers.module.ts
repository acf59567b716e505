import { Global, Module } from '@nestjs/common';
import { AnswerBudget } from './answer-budget.js';

@Global()
@Module({ providers: [AnswerBudget], exports: [AnswerBudget] })
export class AnswersModule {}
