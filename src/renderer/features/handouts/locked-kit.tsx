import { ClipboardPaste, FileLock } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { Card } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './handouts.module.css'
import type { ChosenKit, OpenKit } from './use-open-kit'

interface LockedProps {
  readonly state: OpenKit
  readonly kit: ChosenKit
}

/** The passphrase stands in this field and nowhere else; leaving the page takes it away. */
function PassphraseForm({ state }: { readonly state: OpenKit }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  const [isEmpty, setIsEmpty] = useState(true)
  const { field, opening, open } = state
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isEmpty) open(true)
  }
  return (
    <form onSubmit={submit} noValidate>
      <FieldGroup>
        <Field label={t('passphrase')} required hint={t('passphraseHint')}>
          <TextInput
            ref={field}
            type="password"
            autoFocus
            autoComplete="off"
            maxLength={500}
            onChange={(event) => setIsEmpty(event.target.value.trim() === '')}
          />
        </Field>
        <div className={styles.foot}>
          <Button icon={ClipboardPaste} disabled={opening.isPending} onClick={() => open(false)}>
            {t('paste')}
          </Button>
          <Button type="submit" variant="primary" busy={opening.isPending} disabled={isEmpty}>
            {t('open')}
          </Button>
        </div>
      </FieldGroup>
    </form>
  )
}

function Way({ state, kit }: LockedProps) {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  if (kit.needs === 'passphrase') return <PassphraseForm key={kit.kitId} state={state} />
  if (kit.needs === 'anotherKey') {
    return (
      <Callout tone="warning" title={t('foreign')}>
        {t('foreignText')}
      </Callout>
    )
  }
  return (
    <div className={styles.foot}>
      <p className={styles.why}>{t('mine')}</p>
      <Button variant="primary" autoFocus busy={state.opening.isPending} onClick={() => state.open(false)}>
        {t('open')}
      </Button>
    </div>
  )
}

/** A kit's file that was chosen, and what opens it. */
export function LockedKit({ state, kit }: LockedProps) {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  const { opening, choosing, choose } = state
  return (
    <>
      <Card>
        <div className={styles.locked}>
          <div className={styles.file}>
            <FileLock size={18} strokeWidth={1.7} aria-hidden="true" />
            <Code quiet wrap>
              {kit.path}
            </Code>
            <Button size="sm" busy={choosing.isPending} onClick={choose}>
              {t('chooseOther')}
            </Button>
          </div>
          <Way state={state} kit={kit} />
        </div>
      </Card>
      {opening.failure ? (
        <ExplainedFailure
          failure={opening.failure}
          handlers={{ chooseFile: choose, pasteKey: () => state.open(false) }}
        />
      ) : null}
    </>
  )
}
