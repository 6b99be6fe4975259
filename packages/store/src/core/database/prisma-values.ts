// The encoding of values between Postgres and Prisma's engine.
import { ColumnTypeEnum, type ArgType, type ColumnType } from '@prisma/driver-adapter-utils'
import pg from 'pg'
import { toIsoTime, writeValue } from './pg-codec.js'

type Parse = (text: string) => unknown

const same: Parse = text => text
const parsed = (type: number): Parse => pg.types.getTypeParser(type) as Parse
const times: Parse = text =>
  (parsed(1009)(text) as (string | null)[]).map(time => (time === null ? null : toIsoTime(time)))

/** By Postgres' number of a type, what Prisma calls it, and how Prisma wants its values. All other types are text. */
const TYPES = new Map<number, readonly [ColumnType, Parse]>([
  [16, [ColumnTypeEnum.Boolean, parsed(16)]],
  [17, [ColumnTypeEnum.Bytes, parsed(17)]],
  [20, [ColumnTypeEnum.Int64, same]],
  [21, [ColumnTypeEnum.Int32, Number]],
  [23, [ColumnTypeEnum.Int32, Number]],
  [26, [ColumnTypeEnum.Int64, same]],
  [114, [ColumnTypeEnum.Json, same]],
  [700, [ColumnTypeEnum.Float, Number]],
  [701, [ColumnTypeEnum.Double, Number]],
  [1000, [ColumnTypeEnum.BooleanArray, parsed(1000)]],
  [1007, [ColumnTypeEnum.Int32Array, parsed(1007)]],
  [1009, [ColumnTypeEnum.TextArray, parsed(1009)]],
  [1016, [ColumnTypeEnum.Int64Array, parsed(1009)]],
  [1184, [ColumnTypeEnum.DateTime, toIsoTime]],
  [1185, [ColumnTypeEnum.DateTimeArray, times]],
  [1231, [ColumnTypeEnum.NumericArray, parsed(1009)]],
  [1700, [ColumnTypeEnum.Numeric, same]],
  [2950, [ColumnTypeEnum.Uuid, same]],
  [2951, [ColumnTypeEnum.UuidArray, parsed(1009)]],
  [3802, [ColumnTypeEnum.Json, same]],
])
const TEXT = [ColumnTypeEnum.Text, same] as const

export const columnTypeOf = (type: number): ColumnType => (TYPES.get(type) ?? TEXT)[0]

/** Reads values as Prisma's engine wants them. */
export const prismaTypes: pg.CustomTypesConfig = {
  getTypeParser: type => (TYPES.get(type) ?? TEXT)[1],
}

/** @param type of a value of Prisma's engine: bytes are text there */
export const writeArgument = (value: unknown, type: ArgType | undefined): unknown =>
  typeof value === 'string' && type?.scalarType === 'bytes' ? Buffer.from(value, 'base64') : writeValue(value)
