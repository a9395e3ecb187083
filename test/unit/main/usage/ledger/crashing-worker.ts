import { existsSync, rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import '../../../../../src/main/usage-worker'
import type { LedgerThreadOptions } from '../../../../../src/main/usage/ports'

const { file }: LedgerThreadOptions = workerData

/** Exits the worker after it stored entries and before it confirms, once for each file that requests it. */
parentPort?.on('message', ({ call }: { readonly call: { readonly name: string } }) => {
  const order = ['first', 'second'].map((name) => `${file}.crash-${name}`).find(existsSync)
  if (call.name !== 'add' || order === undefined) return
  rmSync(order)
  process.exit(1)
})
