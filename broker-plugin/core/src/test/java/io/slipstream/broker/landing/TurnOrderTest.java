package io.slipstream.broker.landing;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.ring.PlaceWord;
import org.junit.jupiter.api.Test;

class TurnOrderTest {
    private static final int START = 5000;

    private final TurnOrder turns = new TurnOrder();

    TurnOrderTest() {
        turns.start(START);
    }

    @Test
    void shouldGiveTurnsByOrderWhateverTheOrderOfArrival() {
        Turn second = turn(1, START + 100, 50);
        Turn first = turn(0, START, 100);

        assertThat(turns.enter(second, true)).isFalse();
        assertThat(turns.enter(first, true)).isTrue();
        assertThat(turns.current()).isSameAs(first);
        turns.advance();
        assertThat(first.state).isEqualTo(Turn.State.DONE);
        assertThat(turns.takeNext()).isSameAs(second);
        turns.advance();
        assertThat(turns.nextPosition()).isEqualTo(START + 150);
        assertThat(turns.takeNext()).isNull();
    }

    @Test
    void shouldGiveNoTurnWhereNoneMayBeGiven() {
        Turn first = turn(0, START, 100);

        assertThat(turns.enter(first, false)).isFalse();
        assertThat(first.state).isEqualTo(Turn.State.RESERVED);
    }

    @Test
    void shouldCountOn() {
        int position = START;
        for (int i = 0; i < PlaceWord.ORDERS + 10; i++) {
            Turn next = turn(i & (PlaceWord.ORDERS - 1), position, 1);
            assertThat(turns.isPlausible(next)).isTrue();
            assertThat(turns.enter(next, true)).isTrue();
            turns.advance();
            position++;
        }
        assertThat(turns.nextPosition()).isEqualTo(position);
    }

    @Test
    void shouldKnowWhatNobodyReserved() {
        turns.enter(turn(0, START, 100), true);
        turns.enter(turn(2, START + 200, 100), true);

        assertThat(turns.isPlausible(turn(0, START, 100))).as("has its turn").isFalse();
        assertThat(turns.isPlausible(turn(2, START + 200, 100)))
                .as("waits already")
                .isFalse();
        assertThat(turns.isPlausible(turn(65535, START, 100))).as("long ago").isFalse();
        assertThat(turns.isPlausible(turn(1, START + 100, 100))).isTrue();
        turns.advance();
        assertThat(turns.isPlausible(turn(1, START + 99, 100))).as("elsewhere").isFalse();
        assertThat(turns.isPlausible(turn(1, START + 100, 100))).isTrue();
    }

    @Test
    void shouldNoticeThatTheNextOneIsNotWhereItMustBe() {
        turns.enter(turn(0, START, 100), true);
        turns.enter(turn(1, START + 101, 100), true);

        assertThat(turns.isNextBroken()).isFalse();
        turns.advance();
        assertThat(turns.isNextBroken()).isTrue();
    }

    @Test
    void shouldNoticeThatTheNextOneWasGivenUp() {
        turns.enter(turn(0, START, 100), true);
        Turn next = turn(1, START + 100, 100);
        turns.enter(next, true);
        next.state = Turn.State.DROPPED;
        turns.advance();

        assertThat(turns.isNextBroken()).isTrue();
    }

    @Test
    void shouldDropWhatWaitsInItsOrder() {
        for (int order : new int[] {3, 1, 2}) {
            turns.enter(turn(order, START + 10 * order, 10), true);
        }

        assertThat(turns.dropAll()).extracting(turn -> turn.order).containsExactly(1, 2, 3);
        assertThat(turns.isEmpty()).isTrue();
    }

    private static Turn turn(int order, int position, int lengthBytes) {
        return new Turn(null, order, position, lengthBytes, null, null);
    }
}
