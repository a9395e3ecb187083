import { z } from 'zod'
import { embed } from '../../text-model/embed'
import { loadTokenizer } from '../../text-model/tokenizer'
import { parseBody } from '../body'
import { type Call, ok, type Reply } from '../operation'
import { invalidInput } from '../refusals'
import { checkContext, readAsked } from './asked'

const mostInputs = 2_048
const says = `must be a text or a list of 1 to ${mostInputs} texts, none of them empty (not numbers of tokens)`
const Text = z.string().min(1, says)

const Body = z.looseObject({
  model: z.string(),
  input: z.union([Text, z.array(Text).min(1, says).max(mostInputs, says)], { error: says }),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.number().nullish(),
})

const formats = {
  float: (vector: Float32Array): unknown => [...vector],
  /** 32-bit floats, little-endian, as client libraries unpack them. */
  base64: (vector: Float32Array): unknown => {
    const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT)
    vector.forEach((value, index) => void bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT))
    return bytes.toString('base64')
  },
}

function checkDimensions(asked: number | null | undefined, vectors: readonly Float32Array[]): void {
  const length = vectors[0]?.length
  if (asked === undefined || asked === null || asked === length) return
  throw invalidInput(`dimensions: must be ${length}, or left out`)
}

/** Embeds each text of the input. */
export async function embedAll(call: Call): Promise<Reply> {
  const { model, body } = await readAsked(call, 'embedding')
  const { input, encoding_format, dimensions } = parseBody(Body, body)
  const texts = [input].flat()
  const counts = texts.map((await loadTokenizer()).count)
  checkContext(model, Math.max(...counts))
  const vectors = texts.map(embed)
  checkDimensions(dimensions, vectors)
  const tokens = counts.reduce((sum, count) => sum + count, 0)
  call.note({ inputTokens: tokens })
  const written = formats[encoding_format ?? 'float']
  return ok({
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: written(vector) })),
    model: model.modelCode,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  })
}
