import { ClipboardPaste } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Switch } from '../../ui/switch'
import { TextArea } from '../../ui/text-area'
import styles from './cases.module.css'
import { useEditing, useSetup } from './editing'
import { most } from './limits'
import { type PastedTable, type PasteProblem, readPasted, withPasted } from './pasted-cases'

const rowsShown = 5
const problemsShown = 4

function useProblemWords(): (problem: PasteProblem) => string {
  const { t } = useTranslation('compare')
  return (problem) => {
    switch (problem.kind) {
      case 'tooManyRows':
        return t('paste.problems.tooManyRows', { count: problem.found, most: most.cases })
      case 'tooManyColumns':
        return t('paste.problems.tooManyColumns', { count: problem.found, most: most.variables })
      default:
        return t(`paste.problems.${problem.kind}`, { ...problem })
    }
  }
}

function Problems({ problems }: Pick<PastedTable, 'problems'>) {
  const { t } = useTranslation('compare')
  const words = useProblemWords()
  const shown = problems.filter(({ kind }) => kind !== 'empty')
  if (shown.length === 0) return null
  return (
    <Callout tone="danger" title={t('paste.cannot')}>
      <ul className={styles.problems}>
        {shown.slice(0, problemsShown).map((problem) => (
          <li key={JSON.stringify(problem)}>{words(problem)}</li>
        ))}
        {shown.length > problemsShown ? (
          <li>{t('paste.moreProblems', { count: shown.length - problemsShown })}</li>
        ) : null}
      </ul>
    </Callout>
  )
}

function Preview({ table }: { readonly table: PastedTable }) {
  const { t } = useTranslation('compare')
  const { variables, rows } = table
  if (variables.length === 0) return null
  return (
    <>
      <div className={styles.preview}>
        <table aria-label={t('paste.preview')}>
          <thead>
            <tr>
              {variables.map((name, at) => (
                <th key={`${name}-${String(at)}`} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, rowsShown).map((values, at) => (
              <tr key={`row-${String(at)}`}>
                {values.map((value, column) => (
                  <td key={`${String(at)}-${String(column)}`}>{value.slice(0, 200)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles.hint} role="status">
        {t('paste.found', { count: rows.length, columns: variables.length })}
        {rows.length > rowsShown ? ` ${t('paste.firstShown', { count: rowsShown })}` : ''}
      </p>
    </>
  )
}

interface PasteDialogProps {
  /** What was pasted into the table already. */
  readonly text: string
  readonly onClose: () => void
}

/** Takes cases from a spreadsheet or a CSV text, with a look at them first. */
export function PasteDialog({ text: pasted, onClose }: PasteDialogProps) {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  const variables = useSetup((setup) => setup.variables)
  const hasCases = useSetup((setup) => setup.cases.length > 0)
  const [text, setText] = useState(pasted)
  const [hasHead, setHasHead] = useState(true)
  const table = useMemo(() => readPasted(text, hasHead ? undefined : variables), [text, hasHead, variables])
  const take = (way: 'replace' | 'append'): void => {
    edit((setup) => withPasted(setup, table, way))
    onClose()
  }
  const isWrong = table.problems.length > 0
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('paste.title')}
      description={t('paste.text')}
      footer={
        <>
          {hasCases ? (
            <Button disabled={isWrong} onClick={() => take('append')}>
              {t('paste.append')}
            </Button>
          ) : null}
          <Button variant="primary" icon={ClipboardPaste} disabled={isWrong} onClick={() => take('replace')}>
            {t(hasCases ? 'paste.replace' : 'paste.take', { count: table.rows.length })}
          </Button>
        </>
      }
    >
      <div className={styles.paste}>
        <Field label={t('paste.label')}>
          <TextArea
            autoFocus
            value={text}
            placeholder={t('paste.placeholder')}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        {variables.length > 0 ? (
          <Switch label={t('paste.head')} hint={t('paste.headHint')} checked={hasHead} onCheckedChange={setHasHead} />
        ) : null}
        <Problems problems={table.problems} />
        <Preview table={table} />
      </div>
    </Dialog>
  )
}
