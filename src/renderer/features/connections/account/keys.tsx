import type { Holder, KeyView, PlanView, RegisterEntry } from '@shared/contract'
import { holderId, registerId } from '@shared/contract/register'
import { Bot, UserRound } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatList, useFormats } from '../../../format'
import { useFailureToast } from '../../../i18n/failures'
import { useAction, useCall } from '../../../ipc'
import type { KeyHere } from '../../../paths'
import { StatusDot, type Tone } from '../../../ui/badge'
import { Stack } from '../../../ui/rows'
import { toast } from '../../../ui/toast'

/** Whether a key is disabled at its account, as far as it is known: nothing works with it. */
const isDisabledKey = ({ status }: KeyView): boolean => status === 'DISABLED'

/** The key that is used where none is named. */
export const findDefaultKey = ({ keys, defaultKeyId }: PlanView): KeyView | undefined =>
  keys.find(({ id }) => id === defaultKeyId)

/** What the explanation of a failure says of a plan, and of the key that was sent where it is known to be disabled. */
export const planContext = (plan: PlanView | undefined, key?: KeyView) => ({
  ...(plan && { plan: plan.name, isSandbox: plan.source === 'sandbox', isHandedOver: plan.source === 'handed-over' }),
  ...(key && isDisabledKey(key) && { disabledKey: key.name, newKey: key.replacedBy?.name }),
})

/** Whether it works and no other took its place: what is chosen where nobody chooses. */
export const isCurrentKey = (key: KeyView): boolean => !isDisabledKey(key) && key.replacedBy === undefined

/** That a rotation replaced a key: in a sentence, and in a few words beside its status. */
export interface Replacement {
  readonly text: string
  readonly short: string
}

/** What a rotation made of the keys of this computer; nothing of those that none replaced. */
export function useReplacements(): (keyId: string) => Replacement | undefined {
  const { t } = useTranslation('keys')
  const { locale } = useFormats()
  const { data: plans } = useCall('plans.list', {})
  const replaced = useMemo(
    () => new Map(plans?.flatMap(({ keys }) => keys.filter((key) => key.replacedBy).map((key) => [key.id, key]))),
    [plans],
  )
  const { data: rotations } = useCall('rotation.list', {}, { enabled: replaced.size > 0 })
  return useCallback(
    (keyId) => {
      const key = replaced.get(keyId)
      if (!key?.replacedBy) return undefined
      const { name } = key.replacedBy
      const short = t('choice.replaced', { key: name })
      if (isDisabledKey(key)) return { short, text: t('choice.disabledReplaced', { key: name }) }
      const { handover = [] } = rotations?.find((one) => one.oldKeyId === keyId && one.state === 'waiting') ?? {}
      const waiting = handover.filter(({ state }) => state !== 'confirmed').map(({ holder }) => holder.name)
      if (waiting.length === 0) return { short, text: short }
      const names = formatList(waiting, locale)
      return { short: t('choice.waiting', { names }), text: t('choice.replacedWaiting', { key: name, names }) }
    },
    [replaced, rotations, t, locale],
  )
}

interface KeyStatusProps {
  readonly tone: Tone
  readonly label: string
  readonly isDisabled: boolean
  readonly replacement: Replacement | undefined
}

/** How a key stands in a table: one that still works for its holders alone was replaced before it is active. */
export function KeyStatus({ tone, label, isDisabled, replacement }: KeyStatusProps) {
  const { t } = useTranslation('keys')
  if (!replacement) return <StatusDot tone={tone} label={label} />
  return (
    <Stack title={replacement.text}>
      {isDisabled ? (
        <StatusDot tone={tone} label={label} />
      ) : (
        <StatusDot tone="warning" label={t('statuses.replaced')} />
      )}
      <span className="text-muted text-sm">{replacement.short}</span>
    </Stack>
  )
}

/** What is said beside a key's name where one is chosen: why it is not the one to choose, or its masked form. */
export function useKeyHint(): (key: KeyView) => string {
  const { t } = useTranslation(['keys', 'plans'])
  const findReplacement = useReplacements()
  return (key) => {
    const replacement = findReplacement(key.id)
    if (replacement) return replacement.text
    if (isDisabledKey(key)) return t('keys:choice.disabled')
    return key.kept === 'missing' ? t('plans:kept.missing') : key.masked
  }
}

/** How long a key's name may be (contract). */
export const maxKeyNameLength = 50

/** A name as it is sent, or nothing when it cannot be: empty, or too long. */
export function readKeyName(text: string): string | undefined {
  const name = text.trim()
  return name.length >= 1 && name.length <= maxKeyNameLength ? name : undefined
}

/** A key of an account that is kept here: the account makes another for its plan. */
export interface RotatableKey extends KeyHere {
  readonly plan: PlanView
  readonly key: KeyView
}

const isKept = ({ kept }: KeyView): boolean => kept !== 'missing'

const keysHere = (plans: readonly PlanView[]): readonly RotatableKey[] =>
  plans
    .filter(({ origin }) => origin !== undefined)
    .flatMap((plan) =>
      plan.keys
        .filter((key) => key.origin !== undefined && isKept(key))
        .map((key) => ({ planId: plan.id, keyId: key.id, plan, key })),
    )

/** The keys of these plans that can be rotated: none that a rotation has replaced already. */
export const rotatableKeys = (plans: readonly PlanView[]): readonly RotatableKey[] =>
  keysHere(plans).filter(({ key }) => key.replacedBy === undefined)

/** The key of this computer that is this one of the account. */
export function findKeyHere(plan: PlanView | undefined, accountKeyId: string): KeyHere | undefined {
  const found = plan && keysHere([plan]).find(({ key }) => key.origin?.keyId === accountKeyId)
  return found && { planId: found.planId, keyId: found.keyId }
}

/** Copies a key of a plan in main, and says how long it stays on the clipboard. */
export function useCopyKey(planId: string) {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  const tellFailure = useFailureToast()
  return useAction('plans.copyKey', {
    onSuccess: ({ clearsAfterMs }) =>
      void toast(t('page.keyCopied'), {
        description: t('page.keyCopiedHint', { time: formats.duration(clearsAfterMs) }),
      }),
    onError: tellFailure({ context: { plan: planId } }),
  })
}

/** What a tool is called, by its id; the id itself while that is not known. */
export function useNameOfTool(): (id: string) => string {
  const { data: tools } = useCall('tools.list', {})
  return useCallback((id) => tools?.find((tool) => tool.id === id)?.name ?? id, [tools])
}

/** The names of the tools with these ids, as far as they are known. */
export function useToolNames(ids: readonly string[]): readonly string[] {
  return ids.map(useNameOfTool())
}

/** Shows at a glance whether a person or a tool holds a key. */
export const holderIcon = ({ kind }: Holder) => (kind === 'tool' ? Bot : UserRound)

/** Identifies an entry in a list. */
export const entryKey = (entry: Parameters<typeof registerId>[0]): string => {
  const { connectionId, planId, keyId } = registerId(entry)
  return JSON.stringify([connectionId, planId, keyId])
}

/** The entry of a key. */
export const findRegisterEntry = (
  entries: readonly RegisterEntry[],
  of: Parameters<typeof registerId>[0],
): RegisterEntry | undefined => {
  const key = entryKey(of)
  return entries.find((entry) => entryKey(entry) === key)
}

/** Everyone who is recorded as the holder of a key, once each, by name. */
export function knownHolders(entries: readonly RegisterEntry[]): readonly Holder[] {
  const holders = new Map(entries.flatMap(({ holder }) => (holder ? [[holderId(holder), holder] as const] : [])))
  return [...holders.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

/** Names of those who hold a key elsewhere: a tool of this computer that uses it is none. */
export const listHolders = (entry: RegisterEntry | undefined): readonly string[] => {
  const { holder, alsoServes = [], tools = [] } = entry ?? {}
  const isHere = holder?.kind === 'tool' && tools.includes(holder.name)
  return [...(holder && !isHere ? [holder.name] : []), ...alsoServes]
}

/** Made in a rotation for somebody who has not been given it yet. */
export const isToHandOut = (entry: RegisterEntry): boolean =>
  entry.rotatedAt !== undefined &&
  entry.handedOutAt === undefined &&
  entry.status !== 'gone' &&
  listHolders(entry).length > 0
