import type { RegisterEntry } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { CallError, call, invalidateDomains } from '../../ipc'
import { toast } from '../../ui/toast'

const touched = ['register', 'account', 'plans', 'tools', 'audit'] as const

/** Says which keys are meant: one by its name, more by their number. */
export function useKeysWords(): (entries: readonly RegisterEntry[]) => string {
  const { t } = useTranslation('register')
  return (entries) => (entries.length === 1 && entries[0] ? entries[0].keyName : t('counts', { count: entries.length }))
}

/** Enables revoked keys again. */
export function useEnable(): (entries: readonly RegisterEntry[]) => Promise<void> {
  const { t } = useTranslation('register')
  const words = useFailureWords()
  const keysWords = useKeysWords()
  const queries = useQueryClient()
  return async (entries) => {
    try {
      for (const entry of entries) {
        if (entry.origin) await call('account.setKeyStatus', { ...entry.origin, status: 'ACTIVE' })
      }
      await toast(t('revoking.undone', { what: keysWords(entries) }))
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      const { title, remedy } = words(error.failure)
      await toast(title, { tone: 'danger', description: remedy })
    } finally {
      invalidateDomains(queries, touched)
    }
  }
}

interface Revoking {
  readonly isPending: boolean
  /** The keys that were not revoked, and why the first of them was not. */
  readonly left: readonly RegisterEntry[]
  readonly failure: Failure | undefined
}

const atRest: Revoking = { isPending: false, left: [], failure: undefined }

/** Revokes keys one after the other; one that cannot be does not stop the others. What was done is said in a toast with an undo. */
export function useRevoke(entries: readonly RegisterEntry[], onDone: () => void) {
  const { t } = useTranslation('register')
  const keysWords = useKeysWords()
  const enable = useEnable()
  const queries = useQueryClient()
  const [revoking, setRevoking] = useState(atRest)
  const revoke = async (): Promise<void> => {
    if (revoking.isPending) return
    setRevoking({ ...atRest, isPending: true })
    const failures: { readonly entry: RegisterEntry; readonly failure: Failure }[] = []
    for (const entry of revoking.left.length > 0 ? revoking.left : entries) {
      await call('register.revoke', { planId: entry.planId, keyId: entry.keyId }).catch((error: unknown) => {
        if (!(error instanceof CallError)) throw error
        failures.push({ entry, failure: error.failure })
      })
    }
    const left = failures.map(({ entry }) => entry)
    const done = entries.filter((entry) => !left.includes(entry))
    invalidateDomains(queries, touched)
    setRevoking({ isPending: false, left, failure: failures[0]?.failure })
    if (done.length > 0) {
      const action = { label: t('revoking.undo'), onClick: () => void enable(done) }
      void toast(t('revoking.done', { what: keysWords(done) }), { action })
    }
    if (left.length === 0) onDone()
  }
  return { ...revoking, revoke: () => void revoke() }
}
