import { ChevronRight, ClipboardPaste, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import styles from './cases.module.css'
import { CasesTable } from './cases-table'
import { useEditing, useSetup } from './editing'
import { most } from './limits'
import { PasteDialog } from './paste-dialog'
import { usedVariables, withNewCase, withNewVariable } from './setup'
import { useCompareLook } from './view-store'

/** The next name that no column has: `variable`, `variable2`, … */
function freeName(base: string, taken: readonly string[]): string {
  if (!taken.includes(base)) return base
  let number = 2
  while (taken.includes(`${base}${number}`)) number += 1
  return `${base}${number}`
}

function Acts({ onPaste }: { readonly onPaste: () => void }) {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  const variables = useSetup((setup) => setup.variables)
  const count = useSetup((setup) => setup.cases.length)
  return (
    <div className={styles.acts}>
      {variables.length > 0 ? (
        <Button
          size="sm"
          variant="ghost"
          icon={Plus}
          disabled={count >= most.cases}
          onClick={() => edit((all) => withNewCase(all))}
        >
          {t('cases.add')}
        </Button>
      ) : null}
      <Button
        size="sm"
        variant="ghost"
        icon={Plus}
        disabled={variables.length >= most.variables}
        onClick={() => edit((all) => withNewVariable(all, freeName(t('cases.newName'), all.variables)))}
      >
        {t('cases.addColumn')}
      </Button>
      <Button size="sm" variant="ghost" icon={ClipboardPaste} onClick={onPaste}>
        {t('cases.paste')}
      </Button>
    </div>
  )
}

function Hint() {
  const { t } = useTranslation('compare')
  const setup = useSetup((all) => all)
  const unfilled = usedVariables(setup).filter((name) => setup.cases.length === 0 || !setup.variables.includes(name))
  if (setup.variables.length === 0 && unfilled.length === 0) {
    return (
      <p className={styles.hint}>
        {t('cases.none')} <code>{'{{name}}'}</code>
      </p>
    )
  }
  if (unfilled.length === 0) return null
  return (
    <p className={styles.hint}>
      {t('cases.unfilled', { names: unfilled.map((name) => `{{${name}}}`).join(', '), count: unfilled.length })}
    </p>
  )
}

/** The cases: what is put in the place of the prompt's variables. */
export function CasesSection() {
  const { t } = useTranslation('compare')
  const { isCasesOpen, openCases } = useCompareLook()
  const hasVariables = useSetup((setup) => setup.variables.length > 0)
  const count = useSetup((setup) => setup.cases.length)
  const [pasted, setPasted] = useState<string>()
  return (
    <section className={styles.section} aria-label={t('cases.title')}>
      <div className={styles.bar}>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={isCasesOpen}
          onClick={() => openCases(!isCasesOpen)}
        >
          <ChevronRight size={14} aria-hidden="true" />
          {t('cases.title')}
        </button>
        <span className={styles.count}>{count === 0 ? '' : t('cases.count', { count })}</span>
        <Acts onPaste={() => setPasted('')} />
      </div>
      {isCasesOpen && hasVariables ? <CasesTable onPasteTable={setPasted} /> : null}
      {isCasesOpen ? <Hint /> : null}
      {pasted === undefined ? null : <PasteDialog text={pasted} onClose={() => setPasted(undefined)} />}
    </section>
  )
}
