import { printAgreement } from './agreement.js';
import { printVerdicts } from './verdicts.js';

/**
 * Whether the figures of runs can be trusted: what load generators measure of a server whose answers take a known time, beside wrk and
 * beside what arithmetic says, also with a stall of a second every five; and how often two runs of it are judged the same, and a run of
 * one that is 10 % slower worse.
 *
 * Usage: run.js [agreement|verdicts] [TRIES] [SECONDS]; K6_BIN adds k6.
 */
const [what = 'all', tries = '20', seconds = '5'] = process.argv.slice(2);
if (what !== 'verdicts') await printAgreement();
if (what !== 'agreement') await printVerdicts(Number(tries), Number(seconds));
