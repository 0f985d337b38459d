/**
 * The streams of random numbers of numpy: PCG64 (M. E. O'Neill, PCG, 2014), and what is drawn from it.
 *
 * Normal numbers are those of numpy's ziggurat with 256 layers (J. A. Doornik, An Improved Ziggurat Method, 2005), rounded
 * in the tail as in `exact.py`.
 *
 * @module
 */

import { cosine, rint, sine } from "./arithmetic.js";

/** @import { Vec } from "./vectors.js" */

const MASK = (1n << 128n) - 1n;
const LOW = (1n << 64n) - 1n;
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
const UNIT = 2 ** -53;
const RADIUS = 3.6541528853610088;
const INVERSE_RADIUS = 0.2736612373297583;
const TAIL = 3.654152885361009;
const FINEST = 2 ** -36;

/** numpy's tables: of each layer the numbers that are surely within it, and its width by 2^52. */
const LAYERS = decoded(
  "1N5LAHvmLUMAAAAAAAAAAFCN9zF9EShDhAJ79alGK0PU3YP97KMsQ/zup9OrZC1DcpX9ApfeLUNUifQVjjIuQzCW/8Paby5DuErCKo2eLkMsRzfIS8MuQ0gtp+r04C5DNIlQ2GX5LkOmr8YY4g0vQ7xLBq9MHy9DtKGbjkkuL0MS6rcPUjsvQ+j0A+vBRi9D8Je2vN9QL0O4qabB4lkvQx5yMc72YS9DjOmmGj9pL0Pu/M1G2G8vQxzKQ9PZdS9D2hcIOld7L0Ou2P7BYIAvQ5BEbyAEhS9DorfE9UyJL0Ni3PUuRY0vQ0gtUVL1kC9DCr2XvGSUL0M0RgTSmZcvQ4hz8CWami9DMtkfm2qdL0Ngkjt+D6AvQ8yJrZuMoi9DoOjFUeWkL0M8kuGfHKcvQ/BoITM1qS9Dph4kcTGrL0PYMx2BE60vQ2TQkVPdri9D0BH2qJCwL0MYWVoXL7IvQ6RbTw+6sy9DGL0g4DK1L0NAXIC7mrYvQ6D5t7jyty9D+jRz1zu5L0M65TACd7ovQyBfaBCluy9DyD5tyMa8L0Ocohrh3L0vQ1xoTQPovi9DgNozy+i/L0PkSXjJ38AvQ7BES4TNwS9DmHBReLLCL0Myf3gZj8MvQ1Q5ttNjxC9DIje0CzHFL0MMg2of98UvQ5Qaq2a2xi9DVACgM2/HL0P+Wj3TIcgvQ2juqI3OyC9DuBKYpnXJL0NIKqVdF8ovQ/B4ne6zyi9DJCTIkUvLL0MSDSd83ssvQ/Agst9szC9D8KqN6/bML0NUIzzMfM0vQ+Tpy6v+zS9DBE4BsnzOL0NyPH0E984vQ0Th4MZtzy9DhoTuGuHPL0MY4acgUdAvQ3Quava90C9DyBAIuSfRL0N4neGDjtEvQ+yd+nDy0S9DOjYPmVPSL0PUEacTstIvQ0Q1J/cN0y9DzJDiWGfTL0OqbSlNvtMvQ/jMV+cS1C9DSM3iOWXUL0NYKmVWtdQvQzToqk0D1S9D4Dm8L0/VL0NAsucLmdUvQ3jMy/Dg1S9DJthf7CbWL0OUVPwLa9YvQ2jFYlyt1i9D9AnF6e3WL0MoQMy/LNcvQ/g6n+lp1y9DoJPocaXXL0N8XNxi39cvQ9B7PcYX2C9DKrRipU7YL0OmXzsJhNgvQyzjU/q32C9D6N3ZgOrYL0NoGaCkG9kvQyQ+Im1L2S9D/E+I4XnZL0Mq9qkIp9kvQ2aREenS2S9DbiP/iP3ZL0NQCmvuJtovQwaSCB9P2i9DmF5IIHbaL0PcsFr3m9ovQ7qHManA2i9D0J+COuTaL0MEU8mvBtsvQ5BZSA0o2y9DCG4LV0jbL0No1eiQZ9svQ6TMgr6F2y9DpNxI46LbL0OmFXkCv9svQwAzIR/a2y9DKKgfPPTbL0OIlyRcDdwvQwy0soEl3C9DwA0grzzcL0NIypbmUtwvQ3jJFSpo3C9DeDZxe3zcL0PoBVPcj9wvQwxhO06i3C9Dgv6A0rPcL0NcaFFqxNwvQ+IvsRbU3C9D9A582OLcL0ME92Sw8NwvQ3QN9p793C9DZJWQpAndL0OGxmzBFN0vQ6KQmfUe3S9DtEv8QCjdL0PUU1CjMN0vQ7iQJhw43S9D6Ofkqj7dL0NcmcVORN0vQ1iF1gZJ3S9D4lr40UzdL0P0rd2uT90vQxT0CZxR3S9DdmbQl1LdL0MgyFKgUt0vQ7wOgLNR3S9DqOwSz0/dL0NIOpDwTN0vQwY9RRVJ3S9DtMlFOkTdL0NIQGpcPt0vQ1xeTXg33S9DyOVJii/dL0N0FHiOJt0vQyzqqoAc3S9D9DhtXBHdL0P6e/4cBd0vQxBxT7333C9D/m/+N+ncL0O8elOH2dwvQ/wAPKXI3C9DEFFGi7bcL0Nsr5wyo9wvQ54NAJSO3C9DoFjCp3jcL0OwVcBlYdwvQwoEW8VI3C9DtHhwvS7cL0OOKFREE9wvQ5iTxk/22y9D2ELs1NfbL0P8CETIt9svQ6ZznB2W2y9D6FkIyHLbL0OScdK5TdsvQxrTb+Qm2y9DbFBxOP7aL0NWgHOl09ovQwBcDRqn2i9DREi9g3jaL0OwX9TOR9ovQ4jMX+YU2i9DaPwPtN/ZL0Nwbx0gqNkvQ2jdKhFu2S9DgmEkbDHZL0PwUhsU8tgvQ/xjHuqv2C9DxJINzWrYL0NqZmmZItgvQ6DfHCnX1y9DJG1BU4jXL0O4GdzrNdcvQ4QKk8Pf1i9DPD9ap4XWL0OWWhZgJ9YvQ9IFNLLE1S9DrkQyXV3VL0NMxh0b8dQvQ8rn+p9/1C9D7LMbmQjUL0N2rF6si9MvQ0iPUncI0y9DUI46jn7SL0Osi+167dEvQ8zRibtU0S9D1GP1wLPQL0OAUiHtCdAvQ4BnBJFWzy9DStU+6pjOL0MERFUg0M0vQ7BXbUH7zC9D/GBwPhnML0OE7nHmKMsvQwDlLuEoyi9DsOhtqBfJL0NuPPp/88cvQzhj3Wu6xi9D/MlfJGrFL0OuqjIHAMQvQygG8QR5wi9DYM/cidHAL0NU41ZgBb8vQ1T9/YoPvS9D+neME+q6L0MmflPKjbgvQwQFXPDxtS9D6nRlwwuzL0MInpHeza8vQxbKelsnrC9DJODFkwKoL0NYj2lPQ6MvQzw/7AjEnS9DZCO8sFGXL0NEWprdpI8vQ9pFPF5Whi9DdHCBA8t6L0NoqACIDWwvQ+hQVLCAWC9DMIsCPC49L0P4O0iR9BMvQ1hg4O+LzS5DlDhmlrQ0LkN52RV4O0nPPMb2/eMLjYs8tFssPK9QkjxhO0Q4uXyVPAynL+j8AZg8vNBMLgwjmjz3YTgvTQCcPHRydFovrJ08w9VMLUgynzytu44nMk2gPENdAjsF9aA8dzZBl6aSoTz1GnqPoieiPIDYYzgutaI89ZFXwD88ozwvsaLBnr2jPFWb/43vOaQ8p/49NruxpDx00xpidSWlPJbOB6eAlaU86n7ZzzECpjw9fKNh0mumPHAFAJKi0qY8pvhG09o2pzx3KrMQrZinPEP1Rq1F+Kc8dwpDU8xVqDyadnueZLGoPJjPTqkuC6k86h4sgkdjqTxGxTiOybmpPCynpNzMDqo8Wc13bWdiqjwwFhBurbSqPJxsE22xBas8KXpCh4RVqzw6n1KONqSrPDKCvyrW8as8805Z+XA+rDxhOzKlE4qsPIsmcv7J1Kw8SLeADp8erTwQH+QpnWetPMO4IwDOr608U3bxqTr3rTz+7dK16z2uPABvejPpg648zoL5vTrJrjwmYvCE5w2vPIj22FT2Ua88rteHnm2VrzysLvp9U9ivPOw0QuBWDbA8mo859UAusDz8pRae6k6wPBCgcltWb7A8C/RxkIaPsDwTYbyEfa+wPH/MS2Y9z7A8awgWS8jusDzuFZUyIA6xPL4PMQdHLbE8QZGOnz5MsTweIMS/CGuxPDTaeBqnibE8iG3uURuosTzLKvj4ZsaxPC7U4JOL5LE8n6BAmYoCsjzpxsRyZSCyPB/D6X0dPrI8+2upDLRbsjx/0x1mKnmyPBvXGceBlrI82i64YruzsjxTuOFi2NCyPI6py+jZ7bI810huDcEKszwwufThjiezPKFeJnBERLM81VLKuuJgszxqWAW+an2zPGSysm/dmbM8Az24vzu2szzgHVaYhtKzPINact6+7rM8dJ7gceUKtDxddKYt+ya0PKQwPOgAQ7Q8XcfKc/detDw2w2ae33q0PC+PSDK6lrQ8XUEC9oeytDzcEbOsSc60PAWmOBYA6rQ8YlVe76sFtTxaiwryTSG1PE9matXmPLU8yLIbTndYtTx4X1UOAHS1PBSFDsaBj7U8WRskI/2qtTw9c33Rcsa1PNOML3vj4bU8OF6fyE/9tTzDH6NguBi2PKKwougdNLY8Cya3BIFPtjxylslX4mq2PDcxsYNChrY8sbJQKaKhtjy7Q7PoAb22PFLTKGFi2LY8VPhhMcTztjzraIv3Jw+3PMYUaVGOKrc83O5w3PdFtzwfc+U1ZWG3PEn07/rWfLc8k726yE2YtzwJFIs8yrO3PPsi2/NMz7c8595zjNbqtzwf6oakZwa4PHaGyNoAIrg8FZ+JzqI9uDy99dEfTlm4PMV+em8Ddbg8LfdHX8OQuDxDwAWSjqy4PJwMoatlyLg8J2pEUUnkuDyPtXMpOgC5PEeDKNw4HLk8/ArvEkY4uTyKogN5YlS5PO7VcLuOcLk8MSouicuMuTy/mT+TGam5PCzZ1Yx5xbk8EXRvK+zhuTxK0vomcv65PJI2+TkMG7o8W8iiIbs3ujyIuwuef1S6PKSpSnJacbo8PTGgZEyOujwI8Z8+Vqu6PM71Ws14yLo8NrOL4bTlujwaocNPCwO7PFuYmvB8ILs8AAzgoAo+uzwDPc5BtVu7PCeJP7l9ebs8PPfl8WSXuzxuJYXba7W7PKLALmuT07s8g66Bm9zxuzygFuxsSBC8PC168OXXLrw8HA1uE4xNvDwFh+wIZmy8PBem6+Bmi7w8q6I2vY+qvDyQ1jvH4cm8PDfgaDBe6bw8bo+LMgYJvTwg7zcQ2yi9PEfGMxXeSL08I/HnlhBpvTyl+9f0c4m9PHBuIJkJqr08Dkn8+NLKvTw3LlKV0eu9PBzSSfsGDb489kbqxHQuvjyI0cGZHFC+PCX+ly8Acr48Cr8qSyGUvjwIb/fAgba+PDqnEHYj2b48qewBYQj8vjwhU8KKMh+/PG1Ntw+kQr88aAHJIF9mvzyCl4kEZoq/PL8icRi7rr88hecv0mDTvzwL9hjBWfi/PHWg00fUDsA8R8mPAqghwDyrAqmDqTTAPMf1Pk7aR8A8frOt9jtbwDxoJqcj0G7APBcuY4+YgsA8VKLoCJeWwDzEwHF1zarAPEjU7tE9v8A8MD2qNOrTwDyTZRHP1OjAPLafpu///cA8QXAgBG4TwTw1XbubISnBPG0JxGkdP8E8Oy5gSGRVwTzz7p07+WvBPGES0nTfgsE8rOtOVhqawTyOL393rbHBPJSmcamcycE8Oa7k++vhwTwB2eLCn/rBPIHMBJ28E8I87tNvekctwjwknKykRUfCPOBYdse8YcI8Llmo+rJ8wjx4DnfNLpjCPFIKKlM3tMI8l9uWMdTQwjz1eKmxDe7CPO6uVtLsC8M8o6RoXnsqwzyjEq4FxEnDPECoM3rSacM8CkFWkrOKwzz6iK5wdazDPKYEF7Mnz8M8dfRgqtvywzza5bmcpBfEPJReVBWYPcQ8FTqnRM5kxDy8Q5x1Yo3EPCdaa51zt8Q8AonNDSXjxDxBrOlTnxDFPEJ+OlIRQMU8G+RKqbFxxTzZjXGLwKXFPP7QOiSK3MU8TB6Gz2kWxjzqagB7zlPGPMPln75AlcY8MuIJjWvbxjw0el/wKCfHPHMGCVaVecc8jM7W9C3Uxzw08ikFAznIPBR8qr8Pq8g8lkRvlOAuyTyrV0AB7svJPFp3lHjcj8o8sf14OB+YyzwzrQmCtDvNPA==",
);

/** Float64 from base64, little-endian. @param {string} text */
export function decoded(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

/** One stream. */
export class Generator {
  /** @param {[string, string]} known state and increment, in hexadecimal digits. */
  constructor([state, increment]) {
    this.state = BigInt(`0x${state}`);
    this.increment = BigInt(`0x${increment}`);
    /** Numbers that stay the same for the whole run. @type {number[][]} */
    this.rows = [];
  }

  /** The next 64 bits. */
  next() {
    this.state = (this.state * MULTIPLIER + this.increment) & MASK;
    const bits = (this.state >> 64n) ^ (this.state & LOW);
    const turn = this.state >> 122n;
    return ((bits >> turn) | (bits << ((64n - turn) & 63n))) & LOW;
  }

  /** Evenly spread in [0, 1). */
  random() {
    return Number(this.next() >> 11n) * UNIT;
  }

  /** @param {number} low @param {number} high */
  uniform(low, high) {
    return low + (high - low) * this.random();
  }

  /** Rows of numbers for each of so many animals, those known before with them. @param {number} rows @param {number} count */
  fixed(rows, count) {
    const known = this.rows.length ? this.rows : Array.from({ length: rows }, () => []);
    const missing = Math.max(0, count - known[0].length);
    this.rows = known.map((row) => [...row, ...Array.from({ length: missing }, () => this.random())]);
    return this.rows;
  }

  /** Of the standard normal distribution. */
  normal() {
    const number = this.ziggurat();
    return Math.abs(number) > TAIL ? rint(number / FINEST) * FINEST : number;
  }

  ziggurat() {
    for (;;) {
      const bits = this.next();
      const layer = Number(bits & 255n);
      const magnitude = Number((bits >> 9n) & 0xfffffffffffffn);
      const number = (bits & 256n ? -1 : 1) * magnitude * LAYERS[256 + layer];
      if (magnitude < LAYERS[layer]) return number;
      if (layer === 0) {
        for (;;) {
          const beyond = -INVERSE_RADIUS * Math.log1p(-this.random());
          const least = -Math.log1p(-this.random());
          if (2 * least > beyond * beyond) return (bits >> 17n) & 1n ? -(RADIUS + beyond) : RADIUS + beyond;
        }
      }
      const [above, below] = [density(layer - 1), density(layer)];
      if ((above - below) * this.random() + below < Math.exp(-0.5 * number * number)) return number;
    }
  }
}

/** @param {number} layer of the ziggurat; its density, 1 at the top. */
const density = (layer) => (layer === 0 ? 1 : Math.exp(-0.5 * (LAYERS[256 + layer] * 2 ** 52) ** 2));

/** Directions, evenly spread. @param {Generator} generator @param {number} count @param {number} dimension @returns {Vec[]} */
export function directions(generator, count, dimension) {
  const flat = Array.from({ length: count }, () => {
    const angle = generator.uniform(-Math.PI, Math.PI);
    return [cosine(angle), sine(angle), 0];
  });
  if (dimension === 2) return flat;
  return flat.map(([x, y]) => {
    const height = generator.uniform(-1, 1);
    const across = Math.sqrt(1 - height * height);
    return [x * across, y * across, height];
  });
}
