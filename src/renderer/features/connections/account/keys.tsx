import type { Holder, KeyView, PlanView, RegisterEntry } from '@shared/contract'
import { holderId, registerId } from '@shared/key-ids'
import i18next from 'i18next'
import { Bot, UserRound } from 'lucide-react'
import { useMemo } from 'react'
import { formatDuration, formatList } from '../../../format'
import { showFailureToast } from '../../../i18n/failures'
import { useAction, useCall } from '../../../ipc'
import type { LocalKeyRef } from '../../../paths'
import { StatusDot, type Tone } from '../../../ui/badge'
import { Stack } from '../../../ui/rows'
import { toast } from '../../../ui/toast'

const t = i18next.getFixedT(null, ['keys', 'plans'])

/** Whether the account reported the key as disabled. */
const isDisabledKey = ({ status }: KeyView): boolean => status === 'DISABLED'

/** Key of a plan that is used if no key is selected. */
export const findDefaultKey = ({ keys, defaultKeyId }: PlanView): KeyView | undefined =>
  keys.find(({ id }) => id === defaultKeyId)

/** Values for failure texts about a plan. Includes the key only if it is disabled. */
export const planContext = (plan: PlanView | undefined, key?: KeyView) => ({
  ...(plan && { plan: plan.name, isSandbox: plan.source === 'sandbox', isHandedOver: plan.source === 'handed-over' }),
  ...(key && isDisabledKey(key) && { disabledKey: key.name, newKey: key.replacedBy?.name }),
})

/** Whether a key is enabled and was not replaced. */
export const isCurrentKey = (key: KeyView): boolean => !isDisabledKey(key) && key.replacedBy === undefined

export interface Replacement {
  readonly text: string
  readonly short: string
}

/** Finds the replacement of a key. Undefined for keys that were not replaced. */
export function useReplacements(): (keyId: string) => Replacement | undefined {
  const { data: plans } = useCall('plans.list', {})
  const replacedKeys = useMemo(
    () => new Map(plans?.flatMap(({ keys }) => keys.filter((key) => key.replacedBy).map((key) => [key.id, key]))),
    [plans],
  )
  const { data: rotations } = useCall('rotation.list', {}, { enabled: replacedKeys.size > 0 })
  return (keyId) => {
    const key = replacedKeys.get(keyId)
    if (!key?.replacedBy) return undefined
    const { name } = key.replacedBy
    const shortText = t('choice.replaced', { key: name })
    if (isDisabledKey(key)) return { short: shortText, text: t('choice.disabledReplaced', { key: name }) }
    const { handover = [] } =
      rotations?.find((rotation) => rotation.oldKeyId === keyId && rotation.state === 'waiting') ?? {}
    const waitingHolders = handover.filter(({ state }) => state !== 'confirmed').map(({ holder }) => holder.name)
    if (waitingHolders.length === 0) return { short: shortText, text: shortText }
    const names = formatList(waitingHolders)
    return { short: t('choice.waiting', { names }), text: t('choice.replacedWaiting', { key: name, names }) }
  }
}

interface KeyStatusProps {
  readonly tone: Tone
  readonly label: string
  readonly isDisabled: boolean
  readonly replacement: Replacement | undefined
}

/** Status of a key in a table. A replaced key that is still enabled for its holders has the status "replaced". */
export function KeyStatus({ tone, label, isDisabled, replacement }: KeyStatusProps) {
  const isReplaced = replacement !== undefined && !isDisabled
  const status = <StatusDot tone={isReplaced ? 'warning' : tone} label={isReplaced ? t('statuses.replaced') : label} />
  if (!replacement) return status
  return (
    <Stack title={replacement.text}>
      {status}
      <span className="text-muted text-sm">{replacement.short}</span>
    </Stack>
  )
}

/** Text next to a key in a selection list: why it should not be chosen, or else the masked key. */
export function useKeyHint(): (key: KeyView) => string {
  const findReplacement = useReplacements()
  return (key) => {
    const replacement = findReplacement(key.id)
    if (replacement) return replacement.text
    if (isDisabledKey(key)) return t('keys:choice.disabled')
    return key.kept === 'missing' ? t('plans:kept.missing') : key.masked
  }
}

/** Maximum length of a key's name (contract). */
export const maxKeyNameLength = 50

/** Reads a key's name without surrounding blanks. Undefined if it is empty or too long. */
export function readKeyName(text: string): string | undefined {
  const name = text.trim()
  return name.length >= 1 && name.length <= maxKeyNameLength ? name : undefined
}

/** A key of an account whose secret is saved on this computer, so that it can be rotated. */
export interface RotatableKey extends LocalKeyRef {
  readonly plan: PlanView
  readonly key: KeyView
}

const listLocalKeys = (plans: readonly PlanView[]): readonly RotatableKey[] =>
  plans
    .filter(({ origin }) => origin !== undefined)
    .flatMap((plan) =>
      plan.keys
        .filter((key) => key.origin !== undefined && key.kept !== 'missing')
        .map((key) => ({ planId: plan.id, keyId: key.id, plan, key })),
    )

/** Keys that can be rotated. Excludes keys that a rotation has already replaced. */
export const rotatableKeys = (plans: readonly PlanView[]): readonly RotatableKey[] =>
  listLocalKeys(plans).filter(({ key }) => key.replacedBy === undefined)

export function findLocalKeyRef(plan: PlanView | undefined, accountKeyId: string): LocalKeyRef | undefined {
  const localKeyEntry = plan && listLocalKeys([plan]).find(({ key }) => key.origin?.keyId === accountKeyId)
  return localKeyEntry && { planId: localKeyEntry.planId, keyId: localKeyEntry.keyId }
}

/** Copies a key in the main process, and shows when the clipboard is cleared. */
export function useCopyKey(planId: string) {
  return useAction('plans.copyKey', {
    onSuccess: ({ clearsAfterMs }) =>
      void toast(t('plans:page.keyCopied'), {
        description: t('plans:page.keyCopiedHint', { time: formatDuration(clearsAfterMs) }),
      }),
    onError: showFailureToast({ context: { plan: planId } }),
  })
}

/** Tool name by id. Falls back to the id. */
export function useToolName(): (id: string) => string {
  const { data: tools } = useCall('tools.list', {})
  return (id) => tools?.find((tool) => tool.id === id)?.name ?? id
}

export function useToolNames(ids: readonly string[]): readonly string[] {
  return ids.map(useToolName())
}

export const holderIcon = ({ kind }: Holder) => (kind === 'tool' ? Bot : UserRound)

export const entryKey = (entry: Parameters<typeof registerId>[0]): string => {
  const { connectionId, planId, keyId } = registerId(entry)
  return JSON.stringify([connectionId, planId, keyId])
}

export const findRegisterEntry = (
  entries: readonly RegisterEntry[],
  keyRef: Parameters<typeof registerId>[0],
): RegisterEntry | undefined => {
  const key = entryKey(keyRef)
  return entries.find((entry) => entryKey(entry) === key)
}

/** All holders in the key register, without duplicates, sorted by name. */
export function knownHolders(entries: readonly RegisterEntry[]): readonly Holder[] {
  const holders = new Map(entries.flatMap(({ holder }) => (holder ? [[holderId(holder), holder] as const] : [])))
  return [...holders.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

/** Names of a key's holders. Omits a tool on this computer that uses the key itself. */
export const listHolders = (entry: RegisterEntry | undefined): readonly string[] => {
  const { holder, alsoServes = [], tools = [] } = entry ?? {}
  const isLocalTool = holder?.kind === 'tool' && tools.includes(holder.name)
  return [...(holder && !isLocalTool ? [holder.name] : []), ...alsoServes]
}

/** Whether a rotation created the key for a holder to whom it was not handed out yet. */
export const needsHandout = (entry: RegisterEntry): boolean =>
  entry.rotatedAt !== undefined &&
  entry.handedOutAt === undefined &&
  entry.status !== 'gone' &&
  listHolders(entry).length > 0
