import type { CheckView, PendingKeyView, PlanView, ProfileFile } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { Dialog } from '../../ui/dialog'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { KeyValue } from '../../ui/key-value'
import { toast } from '../../ui/toast'
import { CheckOutcome } from '../failures/check-outcome'
import { ExplainedFailure } from '../failures/explained-failure'
import { PasteKey } from '../plans/paste-key'
import { nameProblem, suggestName } from '../plans/plan-fields'
import styles from './profiles.module.css'

type Wanted = ProfileFile['plans'][number]

interface AddKeyProps {
  readonly wanted: Wanted
  /** The names of the plans there are. */
  readonly taken: readonly string[]
  readonly onAdded: (plan: PlanView) => void
  readonly onClose: () => void
}

/** The key that was pasted, the check with it, and the plan that is made of it. */
function useAddKey({ wanted, taken, onAdded }: AddKeyProps) {
  const { t } = useTranslation('profiles')
  const [name, setName] = useState(() => freePlanName(wanted, taken))
  const [pending, setPending] = useState<PendingKeyView>()
  const [check, setCheck] = useState<CheckView>()
  const checking = useAction('plans.checkNew')
  const adding = useAction('plans.add', {
    invalidates: ['plans'],
    onSuccess: (plan) => {
      void toast(t('addKey.added', { name: plan.name }))
      onAdded(plan)
    },
  })
  const isTaken = taken.includes(name)
  const isReady = pending !== undefined && name !== '' && !isTaken && nameProblem(name) === undefined
  const { gatewayUrl, models, contextTokens } = wanted
  const add = (): void => {
    if (pending && isReady) adding.mutate({ name, gatewayUrl, models, contextTokens, pendingId: pending.pendingId })
  }
  const [modelCode] = models
  const checkAndAdd = async (): Promise<void> => {
    if (!pending || !isReady) return
    const asked = { gatewayUrl, pendingId: pending.pendingId, ...(modelCode === undefined ? {} : { modelCode }) }
    const view = await checking.mutateAsync(asked).catch(() => undefined)
    setCheck(view)
    if (view?.ok) add()
  }
  const take = (key: PendingKeyView): void => {
    setPending(key)
    setCheck(undefined)
  }
  return {
    ...{ name, setName, pending, take, check, isTaken, isReady, add },
    checkAndAdd: () => void checkAndAdd(),
    isBusy: checking.isPending || adding.isPending,
    failure: (checking.error ?? adding.error)?.failure,
  }
}

function useNameError(name: string, isTaken: boolean): string | undefined {
  const { t } = useTranslation('plans')
  const problem = nameProblem(name)
  if (problem === 'rule') return t('new.nameRule')
  if (problem === 'tooLong') return t('new.nameTooLong', { count: name.length })
  return isTaken ? t('new.nameTaken') : undefined
}

/** Makes the plan of a teammate's profile on this computer: everything is known but the key. */
export function AddKeyDialog(props: AddKeyProps) {
  const { wanted, onClose } = props
  const { t } = useTranslation(['profiles', 'plans', 'common'])
  const state = useAddKey(props)
  const { name, pending, check, failure, isBusy, isReady } = state
  const nameError = useNameError(name, state.isTaken)
  const isRefused = check?.ok === false
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !isBusy) onClose()
      }}
      title={t('profiles:addKey.title', { name: wanted.name })}
      description={t('profiles:addKey.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          {isRefused ? (
            <Button disabled={!isReady} onClick={state.add}>
              {t('plans:new.saveAnyway')}
            </Button>
          ) : null}
          <Button variant="primary" busy={isBusy} disabled={!isReady} onClick={state.checkAndAdd}>
            {t('profiles:addKey.button')}
          </Button>
        </>
      }
    >
      <FieldGroup>
        <PasteKey pending={pending} onTaken={state.take} autoFocus />
        <Field label={t('plans:new.name')} required error={nameError}>
          <TextInput value={name} onChange={(event) => state.setName(event.target.value)} />
        </Field>
        <KeyValue
          items={[
            {
              label: t('profiles:addKey.gateway'),
              value: (
                <Code quiet wrap>
                  {wanted.gatewayUrl}
                </Code>
              ),
            },
            {
              label: t('profiles:addKey.models'),
              value: (
                <span className={styles.codes}>
                  {wanted.models.map((code) => (
                    <Code key={code}>{code}</Code>
                  ))}
                </span>
              ),
            },
          ]}
        />
        <div aria-live="polite">
          {failure ? (
            <ExplainedFailure failure={failure} context={{ plan: name }} />
          ) : isRefused ? (
            <CheckOutcome check={check} context={{ plan: name }} />
          ) : null}
        </div>
      </FieldGroup>
    </Dialog>
  )
}

const longestName = 50

/** A name for the plan of a file that the rule of names allows and no plan here has: its own, else its host's, with a number behind it where needed. */
export function freePlanName(
  { name, gatewayUrl }: Pick<ProfileFile['plans'][number], 'name' | 'gatewayUrl'>,
  taken: readonly string[],
): string {
  const allowed = name.replace(/[^a-zA-Z0-9_.-]+/g, '-').replace(/^-+|-+$/g, '')
  const wanted = allowed || suggestName(gatewayUrl) || 'plan'
  for (let n = 1; ; n += 1) {
    const mark = n === 1 ? '' : `-${n}`
    const free = wanted.slice(0, longestName - mark.length) + mark
    if (!taken.includes(free)) return free
  }
}
