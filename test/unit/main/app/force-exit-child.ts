import { forceExitAfter } from '../../../../src/main/app/force-exit'

forceExitAfter(Number(process.argv[2]))
if (process.argv[3] === 'stuck') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
