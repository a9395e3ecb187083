import { closeSync, openSync, rmSync } from 'node:fs'
import type { Database } from '../sqlite'

/** The version of a file; 0: nothing is in it. */
export const versionOf = (db: Database): number => db.pragma('user_version')

/** The name of the copy that is made before a file of some version is changed. */
const copyName = (file: string, version: number): string => `${file}.version-${version}`

/** Brings a file up to date, each step in a transaction; before that, a file that holds something is copied. */
export function migrate(db: Database, file: string, steps: readonly string[]): void {
  const before = versionOf(db)
  if (before > 0 && before < steps.length) copy(db, copyName(file, before))
  for (const [version, sql] of steps.entries()) {
    if (version < before) continue
    db.transaction('IMMEDIATE', () => {
      // Another process may have done it meanwhile.
      if (versionOf(db) !== version) return
      db.exec(sql)
      db.exec(`PRAGMA user_version = ${version + 1}`)
    })
  }
}

function copy(db: Database, to: string): void {
  rmSync(to, { force: true })
  closeSync(openSync(to, 'wx', 0o600))
  db.run('VACUUM INTO ?', to)
}
