import { printAgreement } from './agreement.js';
import { printBeside } from './beside.js';
import { printVerdicts } from './verdicts.js';

/**
 * Whether the figures of runs can be trusted: what load generators measure of a server whose answers take a known time, beside wrk and
 * beside what arithmetic says, also with a stall of a second every five; and how often two runs of it are found the same, and a run of
 * one that is slower, stalls or has a slow tail worse.
 *
 * Usage: run.js [agreement|beside|verdicts] [TRIES] [SECONDS]; K6_BIN adds k6, VEGETA_BIN what it measures of the same servers.
 */
const [what = 'all', tries = '8', seconds = '30'] = process.argv.slice(2);
const vegeta = process.env['VEGETA_BIN'];
const isWanted = (part: string): boolean => what === 'all' || what === part;
if (isWanted('agreement')) await printAgreement();
if (isWanted('beside') && vegeta !== undefined) await printBeside(vegeta);
if (isWanted('verdicts')) await printVerdicts(Number(tries), Number(seconds));
