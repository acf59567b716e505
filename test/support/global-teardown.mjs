export default () => globalThis.closeTestRun();
