import { chromium } from 'playwright-core';
import { createServer } from 'node:http';
import { readFileSync, existsSync, writeFileSync } from 'node:fs';
import { join, extname } from 'node:path';
const dir = process.argv[2] ?? 'dist/reference', doc = process.argv[3] ?? 'docs/api/openapi.json', frag = process.argv[4] ?? '';
const types = {'.js':'text/javascript','.css':'text/css','.html':'text/html','.json':'application/json'};
const server = createServer((q,r)=>{ const u=q.url.split('?')[0];
  if(u==='/api/docs'){ r.setHeader('content-type','text/html'); return r.end(readFileSync(join(dir,'index.html'),'utf8').replaceAll('{{base}}','docs/')); }
  if(u==='/api/openapi.json'){ r.setHeader('content-type','application/json'); return r.end(JSON.stringify(JSON.parse(readFileSync(doc)))); }
  const f=join(dir,u.replace('/api/docs/','')); if(!existsSync(f)){r.statusCode=404;return r.end()} r.setHeader('content-type',types[extname(f)]??'application/octet-stream'); r.end(readFileSync(f)); }).listen(0,'127.0.0.1');
await new Promise(r=>server.once('listening',r));
const browser = await chromium.launch({executablePath:process.env.CHROMIUM_BIN??'/usr/bin/chromium',args:['--no-sandbox']});
const page = await browser.newPage({viewport:{width:1440,height:900}}); page.setDefaultTimeout(200000);
page.on('pageerror',e=>console.log('ERR',e.message)); 
const c = await page.context().newCDPSession(page); await c.send('Performance.enable',{timeDomain:'threadTicks'});
if(process.env.PROF){await c.send('Profiler.enable'); await c.send('Profiler.setSamplingInterval',{interval:500}); await c.send('Profiler.start');}
const t=Date.now(); await page.goto(`http://127.0.0.1:${server.address().port}/api/docs${frag}`);
await page.getByRole('heading',{name:process.argv[5]??'The main job',exact:true}).waitFor(); console.log('heading', Date.now()-t);
const m=async()=>Object.fromEntries((await c.send('Performance.getMetrics')).metrics.map(x=>[x.name,x.value]));
let last=await m(); for(let i=0;i<60;i++){await page.waitForTimeout(2000); const n=await m(); if(n.TaskDuration-last.TaskDuration<0.05){last=n;break} last=n;}
console.log(Date.now()-t, JSON.stringify({task:last.TaskDuration,script:last.ScriptDuration,layout:last.LayoutDuration,style:last.RecalcStyleDuration,nodes:last.Nodes,heap:last.JSHeapUsedSize/1e6}));
if(process.env.PROF){const {profile}=await c.send('Profiler.stop'); writeFileSync('/tmp/ref/prof.json',JSON.stringify(profile));}
const {execFileSync}=await import('node:child_process'); const rows=execFileSync('ps',['-eo','pid,ppid,cputimes,args']).toString().split('\n').map(l=>l.trim().split(/\s+/)); const kids=new Set([String(process.pid)]); for(let k=0;k<5;k++)for(const r of rows)if(kids.has(r[1]))kids.add(r[0]); console.log('CPU s', rows.filter(r=>kids.has(r[0])&&r[3]&&r[3].includes('chrom')).map(r=>r[2]+' '+(r.find(a=>a.startsWith('--type='))??'main')).join(', '));
await browser.close(); server.close();
