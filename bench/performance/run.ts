import { printAgreement } from './agreement.js';
import { printVerdicts } from './verdicts.js';

/**
 * Whether the figures of runs can be trusted: what load generators measure of a server whose answers take a known time, beside wrk and
 * beside what arithmetic says, also with a stall of a second every five; and how often two runs of it are found the same, and a run of
 * one that is slower, stalls or has a slow tail worse.
 *
 * Usage: run.js [agreement|verdicts] [TRIES] [SECONDS]; K6_BIN adds k6.
 */
const [what = 'all', tries = '8', seconds = '30'] = process.argv.slice(2);
if (what !== 'verdicts') await printAgreement();
if (what !== 'agreement') await printVerdicts(Number(tries), Number(seconds));
