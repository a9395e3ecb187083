import { scheduleForcedExit } from '../../../../src/main/app/force-exit'

scheduleForcedExit(Number(process.argv[2]))
if (process.argv[3] === 'stuck') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
