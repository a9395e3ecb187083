import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { ModelField } from '../../../../../src/renderer/features/tools/choice-form'
import { installMain, renderInApp } from '../../support/fake-main'

/** The field, and a button that stands for a change made elsewhere. */
function ChangedElsewhere({ first, then }: { readonly first: string; readonly then: string }) {
  const [value, setValue] = useState(first)
  return (
    <>
      <ModelField label="Model" value={value} models={['aurora-large', 'nova-vision']} onChange={setValue} />
      <button type="button" onClick={() => setValue(then)}>
        change elsewhere
      </button>
    </>
  )
}

describe('the field of a model', () => {
  it('offers the list again when a code outside of the plan was replaced elsewhere', async () => {
    installMain({})
    await renderInApp(<ChangedElsewhere first="not-in-this-plan" then="nova-vision" />)
    expect(screen.getByLabelText('Model')).toHaveProperty('value', 'not-in-this-plan')
    await userEvent.click(screen.getByText('change elsewhere'))
    expect(screen.getByRole('combobox').textContent).toContain('nova-vision')
  })

  it('stays a text while a code is typed, also where what is typed so far is in the list', async () => {
    installMain({})
    await renderInApp(<ChangedElsewhere first="nova" then="" />)
    await userEvent.type(screen.getByLabelText('Model'), '-vision-2')
    expect(screen.getByLabelText('Model')).toHaveProperty('value', 'nova-vision-2')
  })
})
