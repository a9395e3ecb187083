import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { TextArea } from '../../ui/text-area'
import styles from './chat.module.css'
import { countSet } from './parameters'
import { ParametersFields } from './parameters-fields'
import { SavePrompt } from './save-prompt'
import { TargetSelect } from './target-select'
import { standardOf } from './targets'
import type { Chat } from './use-chat'

/** What the next message is sent with: what answers, what it is told first, and how. */
export function SetupPanel({ chat }: { readonly chat: Chat }) {
  const { t } = useTranslation('playground')
  const [isSaving, setSaving] = useState(false)
  const { setup, changeSetup, conversation } = chat
  const { target, system, parameters } = setup
  const count = countSet(parameters)
  return (
    <div className={styles.setupFields}>
      <div className={styles.setupModel}>
        <p className={styles.setupLabel}>{t('setup.model')}</p>
        <TargetSelect
          label={t('setup.model')}
          value={target}
          onChange={(chosen) => changeSetup({ ...setup, target: chosen })}
        />
      </div>
      <Field label={t('setup.system')}>
        <TextArea
          className={styles.system}
          rows={4}
          value={system}
          placeholder={t('setup.systemPlaceholder')}
          onChange={(event) => changeSetup({ ...setup, system: event.target.value })}
        />
      </Field>
      <div className={styles.parametersHead}>
        <h3>{t('parameters.title')}</h3>
        <p>{count === 0 ? t('parameters.onlySet') : t('parameters.set', { count })}</p>
        {count === 0 ? null : (
          <Button size="sm" variant="ghost" onClick={() => changeSetup({ ...setup, parameters: {} })}>
            {t('setup.reset')}
          </Button>
        )}
      </div>
      <ParametersFields
        value={parameters}
        standard={standardOf(target)}
        onChange={(next) => changeSetup({ ...setup, parameters: next })}
      />
      <p className={styles.setupNote}>{t(conversation ? 'setup.kept' : 'setup.keptNew')}</p>
      <Button onClick={() => setSaving(true)}>{t('setup.savePrompt')}</Button>
      {isSaving ? <SavePrompt chat={chat} onClose={() => setSaving(false)} /> : null}
    </div>
  )
}
